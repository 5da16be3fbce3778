// Ranks expose parts of their own memory, for a time. Transfers to it are in memory_kinds_test.cpp.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <span>

#include <armature/expose.hpp>
#include <armature/rmi.hpp>

#include "conformance.hpp"

using namespace conformance;
using armature::Errc;
using armature::global_ptr;

TEST(Expose, memory_that_is_concealed_cannot_be_reached_by_who_asks_then) {
  std::array<std::uint64_t, 4> mine{};
  auto pointers = world().allocate<global_ptr<std::uint64_t>>(static_cast<std::size_t>(ranks()));
  armature::put(pointers.on(left()) + me(), global_ptr<std::uint64_t>(me(), mine.data()));
  {
    const auto exposed = armature::expose(std::span(mine));
    EXPECT_EQ(exposed.pointer().address(), mine.data());
    EXPECT_EQ(exposed.size(), mine.size());
  }
  armature::fence_all();
  world().barrier();
  const auto theirs =
      static_cast<global_ptr<std::uint64_t>>(pointers[static_cast<std::size_t>(right())]);
  expect_error(Errc::bad_address, {"get"}, [&] { (void)armature::get(theirs); });
  world().free(pointers);
}

TEST(Expose, no_memory_is_an_error) {
  expect_error(Errc::bad_argument, {"expose"}, [] { (void)armature::expose(std::span<int>()); });
}

TEST(Expose, there_is_an_end_to_how_many_pieces) {
  std::vector<armature::Exposed<std::byte>> all;
  std::array<std::byte, 600> bytes{};
  expect_error(Errc::out_of_memory, {"expose", "500"}, [&] {
    for (std::byte& byte : bytes) all.push_back(armature::expose(std::span(&byte, 1)));
  });
  EXPECT_LE(all.size(), 500U);
  all.clear();
  (void)armature::expose(std::span(bytes));
  world().barrier();
}

// A static belongs to all ranks of a process: each exposes a part of it.
TEST(Expose, statics_are_reached_where_ranks_are_processes_or_threads) {
  static std::array<std::int64_t, 1024> board;
  const std::span<std::int64_t> mine(&board[static_cast<std::size_t>(me()) * 8 % 1024], 8);
  std::ranges::fill(mine, 0);
  armature::Exposed<std::int64_t> exposed;
  if (const auto error = caught([&] { exposed = armature::expose(mine); })) {
    // Virtual ranks may leave the process; those of a simulated node stay in theirs.
    EXPECT_EQ(armature::rank_kind(), armature::RankKind::fiber);
    EXPECT_EQ(error->code, Errc::bad_argument);
    EXPECT_NE(error->message.find("a virtual rank exposes what is its own"), std::string::npos);
    return;
  }
  auto pointers = world().allocate<global_ptr<std::int64_t>>(static_cast<std::size_t>(ranks()));
  for (int rank = 0; rank < ranks(); ++rank)
    armature::put(pointers.on(rank) + me(), exposed.pointer());
  armature::fence_all();
  world().barrier();
  for (int rank = 0; rank < ranks(); ++rank)
    (void)armature::fetch_add(
        static_cast<global_ptr<std::int64_t>>(pointers[static_cast<std::size_t>(rank)]), 1 + me());
  armature::fence_all();
  world().barrier();
  EXPECT_EQ(mine[0], ranks() * (ranks() + 1) / 2);
  exposed.conceal();
  world().free(pointers);
}

// Their own rank cannot touch the pages meanwhile. So neither the kernel nor a thread of its
// process moves the bytes: the others have mapped the file.
TEST(Expose, a_shared_file_is_mapped_by_the_others) {
  constexpr std::size_t bytes = 16384;
  const int file = memfd_create("exposed", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(file, bytes), 0);
  void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ASSERT_NE(pages, MAP_FAILED);
  // Not from the file's first page, nor from a page's first byte.
  const std::span<std::uint64_t> mine(static_cast<std::uint64_t*>(pages) + 600, 64);
  armature::Exposed<std::uint64_t> exposed;
  const auto refused = caught([&] { exposed = armature::expose(mine); });
  // Virtual ranks may leave the process, and are refused; those of a simulated node stay in theirs.
  if (refused) EXPECT_EQ(armature::rank_kind(), armature::RankKind::fiber);
  if (!refused) {
    auto pointers = world().allocate<global_ptr<std::uint64_t>>(static_cast<std::size_t>(ranks()));
    for (int rank = 0; rank < ranks(); ++rank)
      armature::put(pointers.on(rank) + me(), exposed.pointer());
    armature::fence_all();
    world().barrier();
    const bool from_here =
        armature::rank_kind() == armature::RankKind::process && armature::same_node(0, ranks() - 1);
    if (from_here) ASSERT_EQ(mprotect(pages, bytes, PROT_NONE), 0);
    world().barrier();
    const auto theirs =
        static_cast<global_ptr<std::uint64_t>>(pointers[static_cast<std::size_t>(right())]);
    const std::array<std::uint64_t, 3> sent{1, 2, static_cast<std::uint64_t>(me())};
    if (right() != me() || !from_here) {
      armature::put(theirs + 1, std::span(sent));
      EXPECT_EQ(armature::fetch_add(theirs + 1, 5U), 1U);
      std::array<std::uint64_t, 3> received{};
      armature::get(std::span(received), theirs + 1);
      EXPECT_EQ(received, (std::array<std::uint64_t, 3>{6, 2, sent[2]}));
    }
    armature::fence_all();
    world().barrier();
    if (from_here) ASSERT_EQ(mprotect(pages, bytes, PROT_READ | PROT_WRITE), 0);
    if (ranks() > 1) EXPECT_EQ(mine[3], static_cast<std::uint64_t>(left()));
    exposed.conceal();
    world().free(pointers);
  }
  munmap(pages, bytes);
  close(file);
}

namespace {

void add_there(global_ptr<std::int64_t> counter) { (void)armature::fetch_add(counter, 1); }

}  // namespace

// A call that comes while the rank waits for an atomic does one at the same place.
TEST(Expose, calls_reach_what_their_rank_is_reaching) {
  std::array<std::int64_t, 1> counter{};
  auto exposed = armature::expose(std::span(counter));
  auto pointers = world().allocate<global_ptr<std::int64_t>>(static_cast<std::size_t>(ranks()));
  for (int rank = 0; rank < ranks(); ++rank)
    armature::put(pointers.on(rank) + me(), exposed.pointer());
  armature::fence_all();
  world().barrier();
  const auto at = static_cast<global_ptr<std::int64_t>>(pointers[0]);
  const int times = often(100);
  for (int i = 0; i < times; ++i) {
    armature::async(right(), add_there, at);
    (void)armature::fetch_add(at, 1);
  }
  armature::rmi_fence();
  world().barrier();
  if (me() == 0) EXPECT_EQ(watch([&] { return counter[0]; }), 2L * times * ranks());
  exposed.conceal();
  world().free(pointers);
}
