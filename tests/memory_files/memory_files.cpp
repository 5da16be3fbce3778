// More process ranks on a node than there are memory files for their segments: neighbours share
// one. Each rank fills memory of its own and of the rank behind it, to the last page, and all is
// read by its owner.
#include <cstddef>
#include <cstdio>
#include <vector>

#include <armature/armature.hpp>

namespace {

constexpr std::size_t words = std::size_t{1} << 17;  // 1 MiB, allocated together

int body(armature::World& world) {
  const int me = world.rank(), ranks = world.size();
  const int next = (me + 1) % ranks, before = (me + ranks - 1) % ranks;
  auto piece = world.allocate<std::size_t>(2 * words);
  const auto value = [](int rank, std::size_t at) {
    return static_cast<std::size_t>(rank) * words + at;
  };
  std::vector<std::size_t> filling(words);
  for (std::size_t i = 0; i < words; ++i) filling[i] = piece.local()[i] = value(me, i);
  armature::put(piece.on(next) + words, filling.data(), words);
  world.barrier();
  int wrong = 0;
  for (std::size_t i = 0; i < words; ++i)
    wrong += static_cast<int>(piece.local()[i] != value(me, i)) +
             static_cast<int>(piece.local()[words + i] != value(before, i));
  if (wrong != 0) std::printf("rank %d: %d wrong words\n", me, wrong);
  world.barrier();
  world.free(piece);
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return armature::run(argc, argv, body); }
