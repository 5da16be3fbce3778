// A rank that looks again and again leaves its core to others.
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "rmi.hpp"

using namespace conformance;

namespace {
std::atomic<std::uint64_t> yields = 0;
}  // namespace

/// The library's calls of it come here, too.
extern "C" int sched_yield() noexcept {
  yields.fetch_add(1, std::memory_order_relaxed);
  return static_cast<int>(syscall(SYS_sched_yield));
}

namespace yield_tests {
namespace {

constexpr std::uint64_t times = 100;

template <class Do>
std::uint64_t yields_of(Do act) {
  const std::uint64_t before = yields;
  for (std::uint64_t i = 0; i < times; ++i) act();
  return yields - before;
}

/// Whether some of this node's ranks must share a core.
bool cores_are_shared() {
  int here = 0;
  for (int rank = 0; rank < ranks(); ++rank) here += armature::same_node(me(), rank) ? 1 : 0;
  return here > sysconf(_SC_NPROCESSORS_ONLN);
}

TEST(Yield, it_gives_the_core_to_whoever_wants_it) {
  if (armature::rank_kind() == armature::RankKind::fiber) GTEST_SKIP() << "needs a thread a rank";
  EXPECT_GE(yields_of([] { armature::yield(); }), times);
}

RMI_TEST(Yield, calls_that_look_in_vain_do_so_where_ranks_share_cores) {
  if (armature::rank_kind() == armature::RankKind::fiber) GTEST_SKIP() << "needs a thread a rank";
  if (!cores_are_shared()) GTEST_SKIP() << "needs more ranks than cores";
  const long word = 0;
  EXPECT_GE(yields_of([] { armature::rmi_poll(); }), times);
  EXPECT_GE(yields_of([&] { EXPECT_FALSE(armature::test(&word, armature::Comparison::ne, 0)); }),
            times);
  EXPECT_GE(yields_of([] { (void)armature::test_notify(me()); }), times);
}

}  // namespace
}  // namespace yield_tests
