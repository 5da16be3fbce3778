// bounded SHORT LONG: so many puts of 64 bytes and of 1 MiB that do not block, to a process that is
// stopped for nine tenths of the time. What rank 0 has in memory meanwhile grows by no more than
// the bytes that may be under way (ARMATURE_NET_PENDING_BYTES) and a tenth. The bytes of long puts
// are lent to the network and in memory anyway, so before that, puts with a handle each are counted
// that have begun and are not complete: as many as those bytes, and no more.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <armature/armature.hpp>

namespace {

using namespace std::chrono_literals;

constexpr std::size_t long_bytes = std::size_t{1} << 20, short_bytes = 64;

/// The most that this process has had in memory since the peak was reset.
std::size_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:") {
      std::size_t kibi = 0;
      status >> kibi;
      return kibi * 1024;
    }
  return 0;
}
void reset_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

/// Slows that process until the end of this object: it hardly runs.
class Slowed {
 public:
  explicit Slowed(pid_t process)
      : slows_([process](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
            kill(process, SIGSTOP);
            std::this_thread::sleep_for(9ms);
            kill(process, SIGCONT);
            std::this_thread::sleep_for(1ms);
          }
        }) {}

 private:
  std::jthread slows_;
};

/// The most puts of 1 MiB that have begun and are not complete, at any time, when so many begin one
/// after the other.
std::ptrdiff_t most_under_way(const armature::Piece<char>& place, const std::vector<char>& source,
                              std::size_t times) {
  std::vector<armature::Handle> puts;
  std::ptrdiff_t most = 0;
  for (std::size_t i = 0; i < times; ++i) {
    puts.push_back(armature::put_async(place.on(1), source));
    most = std::max(most, std::ranges::count_if(puts, [](auto& put) { return !put.test(); }));
  }
  armature::wait_all(puts);
  return most;
}

int body(armature::World& world, long short_puts, long long_puts) {
  const auto place = world.allocate<char>(long_bytes);
  const pid_t target = broadcast(world, getpid(), 1);
  int status = 0;
  if (world.rank() == 0) {
    const std::vector<char> source(long_bytes, 7);
    const auto put = [&](long times, std::size_t bytes) {
      for (long i = 0; i < times; ++i) armature::put_nbi(place.on(1), source.data(), bytes);
      armature::wait_all();
      armature::fence(1);
    };
    put(100, short_bytes);
    put(20, long_bytes);
    const Slowed slowed(target);
    const std::size_t bound = std::strtoull(std::getenv("ARMATURE_NET_PENDING_BYTES"), nullptr, 10);
    const std::ptrdiff_t most = most_under_way(place, source, 100);
    std::printf("%td puts of 1 MiB under way; at most %zu\n", most, bound / long_bytes);
    if (most < 2 || most > static_cast<std::ptrdiff_t>(bound / long_bytes)) status = 1;
    reset_peak();
    const std::size_t before = peak_bytes();
    put(short_puts, short_bytes);
    const std::size_t after_short = peak_bytes();
    put(long_puts, long_bytes);
    const std::size_t after_long = peak_bytes();
    std::printf("%ld puts of 64 bytes: %zu bytes more; %ld of 1 MiB: %zu; at most %zu\n",
                short_puts, after_short - before, long_puts, after_long - before,
                bound + bound / 10);
    if (before == 0 || after_long - before > bound + bound / 10) status = 1;
  }
  world.barrier();
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const long short_puts = std::atol(argv[1]), long_puts = std::atol(argv[2]);
  return armature::run(argc, argv,
                       [&](armature::World& world) { return body(world, short_puts, long_puts); });
}
