// stopped FILE: rank 0 puts, gets and adds to memory of rank 1, whose process is stopped meanwhile.
// Rank 1 says its process number; rank 0 begins when there is that file.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>
#include <vector>

#include <armature/armature.hpp>

namespace {

constexpr std::size_t words = 100'000;

void say(const char* what, long number) {
  std::printf("%s %ld\n", what, number);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [&](armature::World& world) {
    if (argc != 2 || world.size() != 2) return 2;
    auto block = world.allocate<long>(words);
    auto sum = world.allocate<long>(1);
    for (std::size_t i = 0; i < words; ++i) block[i] = 0;
    sum[0] = 0;
    world.barrier();
    if (world.rank() == 0) {  // keys, and which way is faster: asked for by records
      std::vector<long> got(words);
      armature::get(got, block.on(1));
      (void)armature::get(block.on(1));
      (void)armature::fetch_add(sum.on(1), 1L);
    }
    world.barrier();
    if (world.rank() == 1) {
      say("process", getpid());
      // It computes: it does nothing for others.
      while (std::atomic_ref(sum[0]).load(std::memory_order_acquire) != 43) {
      }
      bool well = true;
      for (std::size_t i = 0; i + 1 < words; ++i) well = well && block[i] == static_cast<long>(i);
      say("was reached", well && block[words - 1] == 77 ? 1 : 0);
    } else {
      armature::fence(armature::Rank(1));  // what was sent has been handled: nothing waits for it
      say("ready", 1);
      while (!std::filesystem::exists(argv[1]))
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      std::vector<long> mine(words), back(words);
      for (std::size_t i = 0; i < words; ++i) mine[i] = static_cast<long>(i);
      armature::put(block.on(1), mine);
      armature::put(block.on(1) + (words - 1), 77L);
      mine[words - 1] = 77;
      armature::get(back, block.on(1));
      const bool well = back == mine && armature::get(block.on(1) + (words - 1)) == 77;
      const long before = armature::fetch_add(sum.on(1), 42L);
      say("reached", well && before == 1 ? 1 : 0);
    }
    world.barrier();
    return 0;
  });
}
