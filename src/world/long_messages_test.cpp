// The bytes of a long message come by the right way, and are copied once where they can be.
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <deque>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "armature/armature.hpp"
#include "harness/forbidden_call.hpp"
#include "harness/rank_threads.hpp"
#include "harness/two_processes.hpp"
#include "message/messages.hpp"
#include "transport/limits.hpp"
#include "wait/notifier.hpp"
#include "wait/thread_call.hpp"
#include "world/job.hpp"

namespace armature {
namespace {

using Data = std::vector<std::uint8_t>;

Data numbered(std::size_t bytes, std::size_t from) {
  Data data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::uint8_t>((i + from) * 31 >> 3);
  return data;
}

message::Messages& my_messages() { return message::messages_of(wait::this_rank("test")); }

struct Ways {
  std::uint64_t copied, by_kernel, in_rings, in_records, kept;
  friend bool operator==(const Ways&, const Ways&) = default;
};

/// Rank 0 sends, rank 1 has posted the receive before; how the bytes came to rank 1.
Ways ways_of(const World& world, std::span<const std::uint8_t> data, std::span<std::uint8_t> into) {
  if (world.rank() == 0) {
    world.barrier();
    send(1, 1, std::as_bytes(data));
    world.barrier();
    return {};
  }
  const message::Counts& counts = my_messages().counts();
  const auto now = [&] {
    return Ways{counts.copied, counts.by_kernel, counts.in_rings, counts.in_records, counts.kept};
  };
  const Ways before = now();
  Handle receive = receive_async(0, 1, std::as_writable_bytes(into));
  world.barrier();
  receive.wait();
  const Ways after = now();
  EXPECT_TRUE(std::equal(data.begin(), data.end(), into.begin()));
  world.barrier();
  return {after.copied - before.copied, after.by_kernel - before.by_kernel,
          after.in_rings - before.in_rings, after.in_records - before.in_records,
          after.kept - before.kept};
}

constexpr std::size_t mebi = std::size_t{1} << 20;

TEST(LongMessages, go_straight_to_their_place_on_another_node) {
  const auto packets_of = [](std::size_t bytes) {
    return harness::run_two_processes([=](World& world) {
      const Data data = numbered(bytes, 0);
      Data into(bytes);
      const Ways ways = ways_of(world, data, into);
      if (world.rank() == 1) {
        EXPECT_EQ(ways, (Ways{0, 0, 0, bytes, 0}));
      }
    });
  };
  const std::size_t pieces = 32 * mebi / transport::Limits::piece_bytes;
  // A ring would take 2 packets to each 16 KiB: bytes there, room back.
  EXPECT_LT(packets_of(32 * mebi), packets_of(64 * 1024) + 2 * pieces);
}

TEST(LongMessages, of_many_pieces_travel_in_few_packets_to_many_pieces) {
  const std::size_t packets = harness::run_two_processes([](World& world) {
    const Data data = numbered(mebi, 7);
    Data into(mebi);
    // Each side has pieces of other lengths.
    const std::size_t step = world.rank() == 0 ? 700 : 1100;
    std::uint8_t* const memory =
        world.rank() == 0 ? const_cast<std::uint8_t*>(data.data()) : into.data();
    std::vector<iovec> pieces;
    for (std::size_t at = 0; at < mebi; at += step)
      pieces.push_back({memory + at, std::min(step, mebi - at)});
    message::Messages& messages = my_messages();
    constexpr std::uint32_t context = message::context::first_of_teams;
    if (world.rank() == 0) {
      message::SendRequest request({1, context, 5}, pieces);
      messages.start(request, "send");
      messages.wait(request, "send");
    } else {
      message::ReceiveRequest request({context, 0, 5}, pieces, message::TooLong::is_kept);
      messages.start(request);
      messages.wait(request, "receive", space::Awaiting::message);
      EXPECT_EQ(into, data);
      EXPECT_EQ(messages.counts().in_records, mebi);
    }
    world.barrier();
  });
  EXPECT_LT(packets, 100U);
}

TEST(LongMessages, that_are_cut_fill_what_there_is_room_for) {
  harness::run_two_processes([](World& world) {
    const Data data = numbered(mebi, 3);
    constexpr std::uint32_t context = message::context::first_of_teams;
    message::Messages& messages = my_messages();
    if (world.rank() == 0) {
      messages.send({1, context, 5}, std::as_bytes(std::span(data)), "send");
    } else {
      Data into(mebi / 2 + 1, 0xee);
      const iovec piece{into.data(), mebi / 2};
      message::ReceiveRequest request({context, 0, 5}, std::span(&piece, 1),
                                      message::TooLong::is_cut);
      messages.start(request);
      messages.wait(request, "receive", space::Awaiting::message);
      EXPECT_TRUE(std::equal(into.begin(), into.end() - 1, data.begin()));
      EXPECT_EQ(into.back(), 0xee);
    }
    world.barrier();
  });
}

/// Runs body(world) as two processes of a node.
template <std::invocable<World&> Body>
void run_on_a_node(Body body) {
  space::JobMemory memory =
      space::JobMemory::create({.ranks = 2,
                                .segment_base = space::default_base + space::default_room / 2,
                                .segment_bytes = std::uint64_t{1} << 30,
                                .cores = 2});
  const auto live = [&](std::size_t rank) {
    base::Runtime runtime;
    const base::UseRuntime used(runtime);
    const space::TemporaryMapping mapping(space::map_control(memory.control.get()),
                                          {memory.segments[0].get(), memory.segments[1].get()});
    wait::start_waiting(mapping.mapping().header());
    space::AddressSpace space(mapping.mapping(), Rank(static_cast<int>(rank)),
                              space::AddressSpace::SegmentFile{memory.segments[rank].get()});
    {
      Job job(space);
      body(job.world());
      job.leave();
    }
    wait::ThreadCall::end_all();
  };
  const pid_t other = fork();
  if (other == 0) {
    alarm(60);
    try {
      live(1);
    } catch (...) {
      _exit(2);
    }
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  live(0);
  int status = 0;
  ASSERT_EQ(waitpid(other, &status, 0), other);
  EXPECT_EQ(status, 0);
}

/// Whether the kernel lets this process, which the other has made, read that one.
bool may_read_parent() {
  static const std::uint64_t word = 77;
  std::uint64_t read = 0;
  const iovec local{&read, sizeof read};
  const iovec remote{const_cast<std::uint64_t*>(&word), sizeof word};
  return process_vm_readv(getppid(), &local, 1, &remote, 1, 0) == sizeof read;
}

TEST(LongMessages, between_private_memory_are_copied_once_where_the_kernel_allows_it) {
  run_on_a_node([](World& world) {
    const Data data = numbered(3 * mebi + 5, 1);
    Data into(data.size());
    const Ways ways = ways_of(world, data, into);
    if (world.rank() == 0) return;
    const bool may = may_read_parent();
    EXPECT_EQ(ways, may ? (Ways{0, data.size(), 0, 0, 0}) : (Ways{0, 0, data.size(), 0, 0}));
  });
}

TEST(LongMessages, between_private_memory_come_in_the_ring_where_the_kernel_forbids_it) {
  run_on_a_node([](World& world) {
    if (world.rank() == 1) {
      ASSERT_TRUE(harness::forbid_system_call(SYS_process_vm_readv));
    }
    for (int i = 0; i < 3; ++i) {
      const Data data = numbered(mebi + 5, 1);
      Data into(data.size());
      const Ways ways = ways_of(world, data, into);
      if (world.rank() == 0) continue;
      EXPECT_FALSE(may_read_parent());
      EXPECT_EQ(ways, (Ways{0, 0, data.size(), 0, 0}));
    }
  });
}

TEST(LongMessages, that_nobody_receives_for_long_are_kept) {
  run_on_a_node([](World& world) {
    const Data data = numbered(mebi, 1);
    if (world.rank() == 0) {
      send(1, 1, std::as_bytes(std::span(data)));
      world.barrier();
      return;
    }
    world.barrier();  // meanwhile it is fetched
    Data into(data.size());
    (void)receive(0, 1, std::as_writable_bytes(std::span(into)));
    EXPECT_EQ(into, data);
    EXPECT_EQ(my_messages().counts().kept, data.size());
  });
}

// The receiver's memory is such that the copy stops in the middle until another thread has made
// progress.
struct Gate {
  std::byte* closed = nullptr;
  std::atomic<bool> is_at_it = false, opens = false, was_late = false;
};
Gate gate;

void at_closed_gate(int, siginfo_t* what, void*) {
  if (what->si_addr < gate.closed || what->si_addr >= gate.closed + mebi) _exit(3);
  gate.is_at_it = true;
  for (int i = 0; i < 10'000 && !gate.opens; ++i) usleep(1000);
  gate.was_late = !gate.opens;
  if (mprotect(gate.closed, mebi, PROT_READ | PROT_WRITE) != 0) _exit(3);
}

TEST(LongMessages, are_copied_while_other_threads_of_the_rank_send_and_look) {
  void* const memory =
      mmap(nullptr, 2 * mebi, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* const into = static_cast<std::byte*>(memory);
  gate.closed = into + mebi;
  ASSERT_EQ(mprotect(gate.closed, mebi, PROT_NONE), 0);
  struct sigaction mine {
  }, before{};
  mine.sa_sigaction = at_closed_gate;
  mine.sa_flags = SA_SIGINFO;
  ASSERT_EQ(sigaction(SIGSEGV, &mine, &before), 0);
  const Data data = numbered(2 * mebi, 1);
  harness::RankThreads(2).run([&](World& world) {
    constexpr std::uint32_t context = message::context::first_of_teams;
    if (world.rank() == 0) {
      send(1, 1, std::as_bytes(std::span(data)));
      EXPECT_EQ(receive<int>(1, 2), 77);
      return;
    }
    message::Messages& messages = my_messages();
    std::thread other([&] {
      while (!gate.is_at_it) std::this_thread::yield();
      EXPECT_FALSE(messages.probe({context, 0, 9}).has_value());
      const int number = 77;
      messages.send({0, message::context::program, 2}, std::as_bytes(std::span(&number, 1)),
                    "send");
      gate.opens = true;
    });
    (void)receive(0, 1, std::span(into, 2 * mebi));
    other.join();
  });
  sigaction(SIGSEGV, &before, nullptr);
  EXPECT_TRUE(gate.is_at_it);
  EXPECT_FALSE(gate.was_late);
  EXPECT_EQ(std::memcmp(into, data.data(), data.size()), 0);
  munmap(memory, 2 * mebi);
}

TEST(Messages, are_the_rank_threads_own_until_another_thread_calls) {
  harness::RankThreads(2).run([](World& world) {
    if (!wait::notifiers_work()) return;
    const Rank other(1 - world.rank());
    message::Messages& messages = my_messages();
    const auto to_and_fro = [&](int times) {
      for (int i = 0; i < times; ++i) {
        send(other, 1, i);
        EXPECT_EQ(receive<int>(other, 1), i);
      }
    };
    to_and_fro(1000);
    EXPECT_FALSE(messages.are_shared());
    std::atomic<bool> ends = false;
    std::thread third([&] {
      while (!ends) (void)messages.probe({message::context::program, other, 2});
    });
    to_and_fro(1000);
    while (!messages.are_shared()) std::this_thread::yield();
    ends = true;
    third.join();
    to_and_fro(100);
    world.barrier();
  });
}

TEST(Messages, that_are_given_up_in_the_middle_leave_those_behind_them_whole) {
  std::array<int, 2> go{};
  ASSERT_EQ(pipe(go.data()), 0);
  run_on_a_node([&](World& world) {
    constexpr std::size_t bytes = 30'000;  // two of them fill a ring, nearly
    constexpr std::uint32_t context = message::context::first_of_teams;
    message::Messages& messages = my_messages();
    char ready = 1;
    if (world.rank() == 1) {
      ASSERT_EQ(read(go[0], &ready, 1), 1);  // takes in nothing meanwhile
      for (const std::size_t number : {0, 1, 2, 5}) {
        Data into(bytes);
        const auto got = messages.receive({context, 0, static_cast<int>(number)},
                                          std::as_writable_bytes(std::span(into)), "receive",
                                          space::Awaiting::message);
        EXPECT_EQ(got.bytes, bytes);
        EXPECT_EQ(into, numbered(bytes, number));
      }
      EXPECT_FALSE(messages.probe({context, 0, 3}).has_value());
      EXPECT_FALSE(messages.probe({context, 0, 4}).has_value());
      return;
    }
    std::vector<Data> data;
    for (std::size_t i = 0; i < 6; ++i) data.push_back(numbered(bytes, i));
    std::vector<iovec> pieces;
    for (Data& one : data) pieces.push_back({one.data(), bytes});
    std::deque<message::SendRequest> requests;
    for (std::size_t i = 0; i < 6; ++i) {
      requests.emplace_back(message::Address{1, context, static_cast<int>(i)},
                            std::span(&pieces[i], 1));
      messages.start(requests.back(), "send");
    }
    EXPECT_TRUE(requests[1].is_over);
    EXPECT_FALSE(requests[2].is_over);  // of which a part is in the ring
    for (const std::size_t i : {4, 2, 3}) {
      messages.abandon(requests[i]);
      std::ranges::fill(data[i], std::uint8_t{0xee});
    }
    ASSERT_EQ(write(go[1], &ready, 1), 1);
    messages.wait(requests[5], "send");
  });
  for (const int end : go) close(end);
}

TEST(Messages, end_with_their_rank_also_where_a_handle_is_kept) {
  Handle receives, sends;
  int into = 0;
  const Data data = numbered(mebi, 1);
  harness::RankThreads(2).run([&](World& world) {
    if (world.rank() == 0) {
      receives = receive_async(1, 1, std::span(&into, 1));
      sends = send_async(1, 2, std::as_bytes(std::span(data)));
      EXPECT_FALSE(receives.test());
    }
  });
  for (Handle* const one : {&receives, &sends}) {
    try {
      one->wait();
      EXPECT_EQ(one, &sends);  // it may have been fetched in time
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::misuse);
      EXPECT_NE(std::string_view(error.what()).find("has left the job"), std::string_view::npos);
    }
    EXPECT_TRUE(one->is_empty());
  }
}

}  // namespace
}  // namespace armature
