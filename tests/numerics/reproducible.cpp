// Reductions whose bits depend on the team alone: each element is the sum of all members' from the
// first to the last. Started with --reproducible, on any number of nodes.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <functional>
#include <span>
#include <vector>

#include <armature/armature.hpp>
#include <armature/collectives_async.hpp>

namespace {

using Numbers = std::vector<double>;

/// The numbers are of such different sizes that the order of adding shows in most sums.
double number(int member, std::size_t i) {
  const auto mixed = (static_cast<std::size_t>(member) * 37 + i * 11) % 97;
  return (static_cast<double>(mixed) - 48.3) *
         std::pow(10, (static_cast<double>(member) * 7 + static_cast<double>(i % 5)) / 3);
}

Numbers numbers_of(int member, std::size_t count) {
  Numbers made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = number(member, i);
  return made;
}

/// The sums of members 0 .. last.
Numbers sums(int last, std::size_t count) {
  Numbers all = numbers_of(0, count);
  for (int member = 1; member <= last; ++member)
    for (std::size_t i = 0; i < count; ++i) all[i] += number(member, i);
  return all;
}

class Comparison {
 public:
  void same_bits(const char* call, const Numbers& found, const Numbers& expected) {
    if (std::memcmp(found.data(), expected.data(), expected.size() * sizeof(double)) == 0) return;
    std::printf("%s of %zu numbers: other bits\n", call, expected.size());
    ++wrong_;
  }
  [[nodiscard]] int status() const { return wrong_ == 0 ? 0 : 1; }

 private:
  int wrong_ = 0;
};

void compare(armature::World& world, std::size_t count, Comparison& comparison) {
  const int me = world.rank(), last = world.size() - 1;
  const Numbers own = numbers_of(me, count), all = sums(last, count), some = sums(me, count);
  const auto check = [&](const char* call, const Numbers& expected, auto&& collective) {
    Numbers data = own;
    collective(std::span(data));
    comparison.same_bits(call, data, expected);
  };
  check("allreduce", all, [&](auto data) { allreduce(world, data); });
  check("reduce", me == last ? all : own, [&](auto data) { reduce(world, data, last); });
  check("scan", some, [&](auto data) { scan(world, data); });
  check("allreduce_async", all, [&](auto data) { allreduce_async(world, data).wait(); });
  check("reduce_async", me == last ? all : own,
        [&](auto data) { reduce_async(world, data, last).wait(); });
  check("scan_async", some, [&](auto data) { scan_async(world, data).wait(); });
}

int body(armature::World& world) {
  Comparison comparison;
  for (const std::size_t count : {1, 40, 3'000, 40'000}) compare(world, count, comparison);
  return comparison.status();
}

}  // namespace

int main(int argc, char** argv) { return armature::run(argc, argv, body); }
