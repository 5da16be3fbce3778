#include "space/reservations.hpp"

#include <sys/mman.h>

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "space/job_memory.hpp"
#include "space/pages.hpp"

namespace armature::space {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

/// Two ranks, each in a process. What the machine has free may change meanwhile: promises are large
/// parts of it.
class ReservationsTest : public ::testing::Test {
 protected:
  ~ReservationsTest() override { munmap(control_.start, Control::bytes(control_.header())); }

  [[nodiscard]] std::uint64_t outstanding() const {
    const ReservedMemory& reserved = control_.header().reserved;
    return reserved.granted - reserved.settled;
  }
  [[nodiscard]] bool take(std::uint64_t bytes, int process) const {
    topology::MemoryRoom room;
    return reservations_.take(bytes, process, room);
  }
  void begin_lazy(std::uint64_t bytes, int rank) const {
    ASSERT_TRUE(take(bytes, rank));
    reservations_.begin_lazy(bytes, rank, rank);
  }
  [[nodiscard]] std::uint64_t spare(int process) const {
    return control_.process(process).memory.spare;
  }

  JobMemory memory_ = JobMemory::create({.ranks = 2, .segment_bytes = 1 << 30});
  Control control_ = map_control(memory_.control.get());
  Reservations reservations_{control_};
};

TEST_F(ReservationsTest, what_one_process_was_promised_no_other_is) {
  const std::uint64_t most = reservations_.room().bytes / 5 * 3;
  ASSERT_TRUE(take(most, 0));
  EXPECT_FALSE(take(most, 1));
  reservations_.settle(most, 0);  // not used after all
  EXPECT_TRUE(take(most, 1));
}

TEST_F(ReservationsTest, threads_that_ask_at_once_are_not_promised_more_than_there_is) {
  const std::uint64_t part = reservations_.room().bytes / 5 * 2;
  std::atomic<int> promised = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] { promised += take(part, i % 2) ? 1 : 0; });
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(promised, 1);
  EXPECT_LE(promised, 2);
}

TEST_F(ReservationsTest, small_promises_come_out_of_one_that_was_larger) {
  ASSERT_TRUE(take(page_bytes, 0));
  const std::uint64_t before = outstanding();
  ASSERT_GE(spare(0), 2 * page_bytes);
  ASSERT_TRUE(take(page_bytes, 0));
  EXPECT_EQ(outstanding(), before);
}

TEST_F(ReservationsTest, a_process_that_dies_gives_back_what_it_was_promised) {
  ASSERT_TRUE(take(40 * mebibyte, 1));
  begin_lazy(30 * mebibyte, 1);
  begin_lazy(5 * mebibyte, 0);
  EXPECT_GE(outstanding(), 75 * mebibyte);
  reservations_.give_up(1);
  EXPECT_EQ(outstanding(), 5 * mebibyte + spare(0));
}

TEST_F(ReservationsTest, lazy_memory_that_was_counted_is_not_promised_twice) {
  begin_lazy(64 * mebibyte, 0);
  reservations_.end_count(reservations_.begin_count(0), 48 * mebibyte, 0);
  EXPECT_EQ(outstanding(), 16 * mebibyte + spare(0));
  reservations_.renew_lazy(64 * mebibyte, 0);  // its pages go, and it is promised them
  EXPECT_EQ(outstanding(), 64 * mebibyte + spare(0));
  reservations_.end_lazy(64 * mebibyte, 0);
  EXPECT_EQ(outstanding(), spare(0));
}

TEST_F(ReservationsTest, a_count_that_is_too_old_changes_nothing) {
  begin_lazy(64 * mebibyte, 0);
  const Reservations::Count count = reservations_.begin_count(0);
  reservations_.end_lazy(64 * mebibyte, 0);
  begin_lazy(64 * mebibyte, 0);
  reservations_.end_count(count, 64 * mebibyte, 0);
  EXPECT_EQ(outstanding(), 64 * mebibyte + spare(0));
}

}  // namespace
}  // namespace armature::space
