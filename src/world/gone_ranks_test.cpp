// Waits must notice ranks of other nodes that have left the job. The other rank of a job of two
// plays one: it has come to the end of its body, and its slot says where and how it is.
#include <chrono>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "armature/armature.hpp"
#include "harness/rank_threads.hpp"
#include "wait/rank_context.hpp"
#include "wait/wait.hpp"

namespace armature::wait {
namespace {

using namespace std::chrono_literals;
using space::Life;

/// Rank 1 as one of another node that has left, as long as this lives.
class LeftFromAfar {
 public:
  explicit LeftFromAfar(const space::AddressSpace& space)
      : slot_(space.slot(1)), node_(space.control().home(1).node) {
    while (slot_.life != Life::leaving) std::this_thread::yield();
    node_ = 1;
    slot_.life = Life::finished;
    space.header().gone.left = 1;
  }
  LeftFromAfar(const LeftFromAfar&) = delete;
  LeftFromAfar& operator=(const LeftFromAfar&) = delete;
  ~LeftFromAfar() {
    slot_.life = Life::leaving;
    node_ = 0;
  }

 private:
  space::RankSlot& slot_;
  std::int32_t& node_;
};

/// A wait for rank 1 that something ends after that time; 0: nothing does.
void wait_for_rank_1(std::chrono::milliseconds until) {
  const auto begun = std::chrono::steady_clock::now();
  WaitFor wait{
      .what = space::Awaiting::notify, .peer = 1, .is_notified = false, .call = "wait_notify"};
  wait_until(wait, [&] { return until > 0ms && std::chrono::steady_clock::now() - begun > until; });
}

TEST(GoneRanks, one_of_another_node_that_has_left_is_not_waited_for) {
  harness::RankThreads(2).run([](World& world) {
    if (world.rank() != 0) return;
    const LeftFromAfar left(current_rank()->space);
    try {
      wait_for_rank_1(0ms);
      ADD_FAILURE() << "it came";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::misuse);
      EXPECT_NE(std::string(error.what()).find("rank 1 has left the job"), std::string::npos);
    }
  });
}

TEST(GoneRanks, its_last_records_may_come_after_the_news_that_it_has_left) {
  harness::RankThreads(2).run([](World& world) {
    if (world.rank() != 0) return;
    const LeftFromAfar left(current_rank()->space);
    EXPECT_NO_THROW(wait_for_rank_1(300ms));
  });
}

TEST(GoneRanks, in_the_last_barrier_they_may_come_as_late_as_they_like) {
  harness::RankThreads(2).run([](World& world) {
    if (world.rank() != 0) return;
    space::RankSlot& mine = current_rank()->space.slot(0);
    const LeftFromAfar left(current_rank()->space);
    mine.life = Life::leaving;
    EXPECT_NO_THROW(wait_for_rank_1(1500ms));
    mine.life = Life::running;
  });
}

}  // namespace
}  // namespace armature::wait
