#include <array>
#include <cstddef>
#include <cstdlib>

#include "bench/rows.hpp"

// Memory that is asked for, touched on its first page, and given back at once, as programs do
// around a matrix product. What only begins to be used or changes its size is slower.

namespace armature::tools::bench {
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

}  // namespace

void allocation_rows(Stage& stage) {
  World& world = stage.world();
  const Team group = stage.has("allocate.group") ? world.duplicate() : world;
  for (const std::size_t bytes : sizes) {
    const auto plain = [bytes] { by_malloc(bytes); };
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
    stage.one_sided({"allocate.local", bytes}, Target::waiting, local, plain);
    stage.one_sided({"allocate.local.zeros", bytes}, Target::waiting, zeros,
                    [bytes] { by_calloc(bytes); });
    stage.together(
        {"allocate", bytes}, [&] { with_others(world, bytes); }, plain);
    stage.together(
        {"allocate.group", bytes}, [&] { with_others(group, bytes); }, plain);
  }
}

}  // namespace armature::tools::bench
