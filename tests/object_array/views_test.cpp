// Calls of elements wait apart from their message: views among their arguments go along with what
// they look at.
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <armature/object_array.hpp>

#include "conformance.hpp"

using namespace conformance;
using armature::object_array;

namespace {

/// Is made of views.
struct Named {
  Named() = default;
  Named(std::string_view the_name, std::span<const int> numbers)
      : name(the_name), sum(std::accumulate(numbers.begin(), numbers.end(), 0)) {}
  template <class Archive>
  void serialize(Archive& archive) {
    archive(name, sum);
  }
  std::string name;
  int sum = 0;
};

template <class T>
concept CanBePromised = requires {
  armature::make_promise<T>(0);
};
static_assert(CanBePromised<std::string> && CanBePromised<void>);
static_assert(!CanBePromised<std::string_view> && !CanBePromised<std::optional<std::string_view>>);

}  // namespace

TEST(ObjectArrayViews, views_for_visitors_and_constructors_go_along_while_their_calls_wait) {
  object_array<Named, int> all(world());
  const auto letter = [](int turn) { return static_cast<char>('a' + turn); };
  for (int i = me(); i < 40; i += ranks()) {
    // It moves while calls follow it, some of which come before it does, and long ones come later.
    std::string expected;
    for (int turn = 0; turn < 20; ++turn) {
      const std::string text(4000, letter(turn));
      const std::vector<int> numbers(10, turn);
      const std::span<const int> some(numbers);
      expected += letter(turn);
      if (turn == 0)
        all[i].async_create_on(right(), std::string_view(text).substr(3999), some.first(1));
      else
        all[i].async_visit(
            [](Named& named, std::string_view more, std::span<const int> by) {
              named.name += more.back();
              named.sum += by.back();
            },
            std::string_view(text), some);
      all[i].move_to((turn + i) % ranks());
    }
    EXPECT_EQ(
        all[i].visit([](const Named& named,
                        std::string_view name) { return named.name == name ? named.sum : -1; },
                     std::string_view(expected)),
        190);
  }
  all.fence();
}
