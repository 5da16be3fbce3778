// evicted FILE: ranks 0 and 1 put to more chunks of memory of rank 2 than may be registered at a
// time, and get that back. They use a chunk for some time, and then the next. Then all wait until
// there is that file.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>
#include <vector>

#include <armature/armature.hpp>

namespace {

constexpr std::size_t chunk_words = (std::size_t{16} << 20) / sizeof(long), chunks = 6;
constexpr std::size_t words = 4096;  // of a transfer
// A chunk for which there was no room is asked for again after 16 transfers. Others must have been
// asked for theirs twice by then, as they keep what they have used.
constexpr int visits = 160, rounds = 2;

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [&](armature::World& world) {
    if (argc != 2 || world.size() != 4) return 2;
    auto block = world.allocate<long>(chunks * chunk_words);
    bool well = true;
    std::vector<long> mine(words), back(words);
    for (int round = 0; round < rounds; ++round)
      for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
        world.barrier();
        if (world.rank() > 1) continue;
        const std::size_t half = static_cast<std::size_t>(world.rank()) * chunk_words / 2;
        const auto there = block.on(2) + static_cast<std::ptrdiff_t>(chunk * chunk_words + half);
        for (int visit = 0; visit < visits; ++visit) {
          std::ranges::fill(mine, 1000 * round + 10 * visit + world.rank());
          armature::put(there, mine);
          armature::get(back, there);
          well = well && back == mine;
        }
      }
    world.barrier();
    if (world.rank() == 0) {
      std::printf("has used all chunks\n");
      std::fflush(stdout);
    }
    while (!std::filesystem::exists(argv[1]))
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    world.barrier();
    std::printf("rank %d: %s\n", world.rank(), well ? "all well" : "something was lost");
    return well ? 0 : 1;
  });
}
