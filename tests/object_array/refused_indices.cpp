// Is not compiled: each array has indices of a type that cannot be one, and refused_indices.py
// knows why.
#include <memory>
#include <unordered_set>

#include <armature/object_array.hpp>

struct Handle {
  std::unique_ptr<int> owned;
  friend bool operator==(const Handle&, const Handle&) = default;
};
struct Unlike {
  int number = 0;
};
struct Fixed {
  explicit Fixed(int the_number) : number(the_number) {}
  friend bool operator==(const Fixed&, const Fixed&) = default;
  int number;
};
struct Padded {
  char name = 'p';
  int number = 0;
  friend bool operator==(const Padded&, const Padded&) = default;
};

void make(const armature::Team& team) {
  const armature::object_array<int, Handle> handles(team);
  const armature::object_array<int, Unlike> unlike(team);
  const armature::object_array<int, Fixed> fixed(team);
  const armature::object_array<int, Padded> padded(team, std::vector<Padded>());
  const armature::object_array<int, double> numbers(team);
  const armature::object_array<int, std::unordered_set<int>> sets(team);
}
