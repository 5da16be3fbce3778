#include <array>
#include <cstddef>
#include <cstdlib>
#include <string>

#include "bench/rows.hpp"

// Memory that is asked for, touched on its first page, and given back at once, as programs do
// around a matrix product. What only begins to be used or changes its size is slower.

namespace armature::bench {
namespace {

constexpr std::array<std::size_t, 6> sizes = {64,
                                              std::size_t{4} << 10,
                                              std::size_t{64} << 10,
                                              std::size_t{1} << 20,
                                              std::size_t{16} << 20,
                                              std::size_t{64} << 20};

void touch(void* memory) {
  auto* const bytes = hidden(static_cast<volatile std::byte*>(memory));
  bytes[0] = std::byte{1};
}

void by_malloc(std::size_t bytes) {
  void* const memory = hidden(std::malloc(bytes));
  touch(memory);
  std::free(memory);
}

void by_calloc(std::size_t bytes) {
  void* const memory = hidden(std::calloc(bytes, 1));
  touch(memory);
  std::free(memory);
}

void with_others(const Team& team, std::size_t bytes) {
  auto piece = team.allocate<std::byte>(bytes);
  touch(piece.local().data());
  team.free(piece);
}

/// Names where two ranks are, since that decides what a heap must be locked against.
std::string shape() {
  if (!same_node(0, 1)) return ".nodes";
  return same_process(0, 1) ? ".threads" : "";
}

template <class Op, class Limit>
void local_row(World& world, const Settings& settings, const Subject& subject, Op op, Limit limit) {
  if (!wanted(settings.only, subject.op)) return;
  world.barrier();
  if (world.rank() == 0) {
    const Timing timing = measure(settings.effort, op, limit, [](bool) {});
    settings.report(
        {.op = subject.op, .bytes = subject.bytes, .ns = timing.ns, .limit_ns = timing.limit_ns});
  }
  world.barrier();
}

}  // namespace

void local_allocation_rows(World& world, const Settings& settings) {
  const std::string op = "allocate.local" + shape();
  for (const std::size_t bytes : sizes) {
    const auto local = [&world, bytes] {
      const auto memory = world.allocate_local_for_overwrite<std::byte>(bytes);
      touch(memory.address());
      world.free_local(memory);
    };
    const auto zeros = [&world, bytes] {
      const auto memory = world.allocate_local<std::byte>(bytes);
      touch(memory.address());
      world.free_local(memory);
    };
    local_row(world, settings, {op, bytes}, local, [bytes] { by_malloc(bytes); });
    local_row(world, settings, {op + ".zeros", bytes}, zeros, [bytes] { by_calloc(bytes); });
  }
}

void allocation_rows(Stage& stage) {
  World& world = stage.world();
  const Team group = stage.has("allocate.group") ? world.duplicate() : world;
  for (const std::size_t bytes : sizes) {
    const auto plain = [bytes] { by_malloc(bytes); };
    stage.together(
        {"allocate", bytes}, [&] { with_others(world, bytes); }, plain);
    stage.together(
        {"allocate.group", bytes}, [&] { with_others(group, bytes); }, plain);
  }
}

}  // namespace armature::bench
