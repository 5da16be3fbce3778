#include <atomic>
#include <numeric>
#include <thread>

#include "rmi.hpp"

// The thread on which a blocking reduction calls its operator.

using namespace conformance;

namespace {

/// A method that waits: a service thread that executes it advances what its rank has under way.
struct Reader {
  void read(armature::global_ptr<long> from) { sum += armature::get(from); }
  long sum = 0;
};

}  // namespace

RMI_TEST(OperatorThread, an_operator_is_called_by_the_thread_that_has_lent_it) {
  if (armature::rank_kind() == armature::RankKind::fiber)
    GTEST_SKIP() << "the thread of a virtual rank may change";
  auto numbers = world().allocate<long>(1);
  armature::shared<Reader> readers(world());
  constexpr int rounds = 10, calls = 20;
  constexpr std::size_t count = 100'000;  // long enough for messages between nodes
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> is_elsewhere = false;
  const auto add = [&](long a, long b) {
    if (std::this_thread::get_id() != caller) is_elsewhere.store(true, std::memory_order_relaxed);
    return a + b;
  };
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < calls; ++i)
      readers.async((me() + 1) % ranks(), &Reader::read, numbers.on((me() + 2) % ranks()));
    std::vector<long> data(count, 1);
    allreduce(world(), std::span(data), add);
    ASSERT_EQ(std::reduce(data.begin(), data.end()),
              static_cast<long>(count) * static_cast<long>(ranks()));
  }
  EXPECT_FALSE(is_elsewhere);
}
