// Collectives of long data, each a number of times, and when rank 0 began and ended each:
// volumes.py looks at what travelled between the nodes meanwhile.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include <armature/armature.hpp>
#include <armature/collectives_async.hpp>

namespace {

constexpr int times = 4;
constexpr std::size_t block = 100'000;

long long now_ns() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class Operation>
void repeat(armature::World& world, const char* name, Operation operation) {
  world.barrier();
  const long long begun = now_ns();
  world.barrier();
  for (int i = 0; i < times; ++i) operation();
  world.barrier();
  if (world.rank() == 0) std::printf("%s %d %zu %lld %lld\n", name, times, block, begun, now_ns());
  world.barrier();
}

int body(armature::World& world) {
  using Bytes = std::vector<std::uint8_t>;
  const auto all = block * static_cast<std::size_t>(world.size());
  const Bytes sent(all, 7), piece(block, 3);
  Bytes got(all), mine(block);
  const std::span<const std::uint8_t> from_all(sent), from_one(piece);
  const std::span<std::uint8_t> to_all(got), to_one(mine);
  constexpr int root = 1;
  repeat(world, "broadcast", [&] { broadcast(world, to_one, root); });
  repeat(world, "scatter", [&] { scatter(world, from_all, to_one, root); });
  repeat(world, "gather", [&] { gather(world, from_one, to_all, root); });
  repeat(world, "reduce", [&] { reduce(world, to_one, root, [](auto a, auto) { return a; }); });
  repeat(world, "alltoall", [&] { alltoall(world, from_all, to_all); });
  repeat(world, "allreduce",
         [&] { allreduce(world, to_one, [](auto a, auto b) { return std::max(a, b); }); });
  repeat(world, "broadcast_async", [&] { broadcast_async(world, to_one, root).wait(); });
  repeat(world, "scatter_async", [&] { scatter_async(world, from_all, to_one, root).wait(); });
  repeat(world, "gather_async", [&] { gather_async(world, from_one, to_all, root).wait(); });
  repeat(world, "allgather_async", [&] { allgather_async(world, from_one, to_all).wait(); });
  repeat(world, "alltoall_async", [&] { alltoall_async(world, from_all, to_all).wait(); });
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return armature::run(argc, argv, body); }
