// Two processes that act in turn send each other packets of many lengths. In processes of their
// own: the clock of a simulation is the process's for ever.
#include "engines/sim/turn_engine.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "bootstrap/key_value_store.hpp"
#include "engines/sim/turns.hpp"

namespace armature::transport::sim {
namespace {

constexpr int packets = 300;
constexpr std::size_t bytes_max = 250'000;
constexpr std::size_t run_bytes = 1000;  // so many equal bytes of a packet follow each other

/// The counts of what a process has seen, for the one that has started it.
struct Seen {
  int sent = 0, came = 0, wrong = 0, overtaken = 0;
  std::uint64_t order = 0;  // a number that depends on it
};

std::byte pattern(int packet, std::size_t place) {
  return static_cast<std::byte>(static_cast<std::size_t>(packet) * 31 + place / run_bytes);
}

class Other final : public Sink {
 public:
  explicit Other(Seen& seen) : seen_(seen) {}

  void received(std::span<const std::byte> head, std::span<const std::byte> body) override {
    int packet = -1;
    if (head.size() == sizeof packet) std::memcpy(&packet, head.data(), sizeof packet);
    bool right = packet >= 0 && packet < packets && !came_[static_cast<std::size_t>(packet)];
    if (right) came_[static_cast<std::size_t>(packet)] = true;
    for (std::size_t i = 0; i < body.size(); i += 499)
      right = right && body[i] == pattern(packet, i);
    ++seen_.came;
    seen_.wrong += right ? 0 : 1;
    seen_.overtaken += packet < last_ ? 1 : 0;
    last_ = packet;
    seen_.order = seen_.order * 1'000'003 + static_cast<std::uint64_t>(packet);
  }
  void sent(std::uint64_t /*token*/) override { ++seen_.sent; }
  void lost(int /*peer*/, const char* /*why*/) override { ++seen_.wrong; }

 private:
  Seen& seen_;
  int last_ = -1;
  std::vector<bool> came_ = std::vector<bool>(packets);
};

void speak(const base::FileDescriptor& store_file, int process, std::uint64_t seed, Seen& seen) {
  bootstrap::KeyValueStore store(store_file, process);
  Turns::join(store, {.seed = seed});
  Other other(seen);
  const auto engine = open_turn_engine(other, {});
  (void)engine->connect(1 - process, {});
  store.fence();
  std::vector<int> heads(packets);
  std::iota(heads.begin(), heads.end(), 0);
  std::vector<std::vector<std::byte>> bodies;
  for (int packet = 0; packet < packets; ++packet) {
    bodies.emplace_back(static_cast<std::size_t>(packet) * 7919 % bytes_max);
    const std::span body(bodies.back());
    for (std::size_t i = 0; i < body.size(); i += run_bytes)
      std::ranges::fill(body.subspan(i, std::min(run_bytes, body.size() - i)), pattern(packet, i));
  }
  int next = 0;
  while (seen.came < packets || seen.sent < packets) {
    (void)engine->progress();
    if (next >= packets) continue;
    const auto place = static_cast<std::size_t>(next++);
    const auto head = std::as_bytes(std::span(&heads[place], 1));
    if (engine->send(1 - process, head, bodies[place], 0)) ++seen.sent;
  }
}

/// Runs two processes, and returns what each of them has seen.
std::vector<Seen> run(std::uint64_t seed) {
  void* const shared =
      mmap(nullptr, 2 * sizeof(Seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* const seen = new (shared) Seen[2];
  const base::FileDescriptor store = bootstrap::KeyValueStore::create(2, 2);
  for (const int process : {0, 1}) {
    if (fork() != 0) continue;
    alarm(60);
    speak(store, process, seed, seen[process]);
    _exit(0);
  }
  for (int ended = 0; ended < 2; ++ended) {
    int status = -1;
    wait(&status);
    EXPECT_EQ(status, 0);
  }
  std::vector<Seen> both(seen, seen + 2);
  munmap(shared, 2 * sizeof(Seen));
  return both;
}

TEST(TurnEngineTest, packets_arrive_whole_and_once_and_some_overtake_others) {
  int overtaken = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    for (const Seen& seen : run(seed)) {
      EXPECT_EQ(seen.sent, packets) << seed;
      EXPECT_EQ(seen.came, packets) << seed;
      EXPECT_EQ(seen.wrong, 0) << seed;
      overtaken += seen.overtaken;
    }
  EXPECT_GT(overtaken, 0);
}

TEST(TurnEngineTest, the_same_seed_gives_the_same_order) {
  const auto once = run(3), again = run(3), otherwise = run(4);
  EXPECT_EQ(once[0].order, again[0].order);
  EXPECT_EQ(once[1].order, again[1].order);
  EXPECT_NE(once[0].order, otherwise[0].order);
}

}  // namespace
}  // namespace armature::transport::sim
