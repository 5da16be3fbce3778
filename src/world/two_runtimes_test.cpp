#include <atomic>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "armature/armature.hpp"
#include "harness/two_processes.hpp"
#include "net/network.hpp"
#include "space/mapping.hpp"

namespace armature {
namespace {

/// Each tells the other where its memory is: on the two nodes the job lies at different addresses.
template <class T>
global_ptr<T> memory_of_other(const World& world, global_ptr<T> mine) {
  const Rank other(1 - world.rank());
  const T* address = mine.address();
  send(other, 0, std::as_bytes(std::span(&address, 1)));
  T* there = nullptr;
  (void)receive(other, 0, std::as_writable_bytes(std::span(&there, 1)));
  return {other, there};
}

TEST(TwoRuntimes, put_into_each_others_memory_and_get_it_back) {
  const std::size_t packets = harness::run_two_processes([](World& world) {
    constexpr std::size_t count = 100'000;
    const auto mine = world.allocate_local<std::uint32_t>(count);
    const auto there = memory_of_other(world, mine);
    std::vector<std::uint32_t> numbers(count), back(count);
    std::iota(numbers.begin(), numbers.end(), static_cast<std::uint32_t>(world.rank() * 1'000'000));
    put(there, numbers);
    fence(there.rank());
    world.barrier();
    EXPECT_EQ(mine.address()[count - 1],
              static_cast<std::uint32_t>((1 - world.rank()) * 1'000'000 + count - 1));
    get(back, there);
    EXPECT_EQ(back, numbers);
    world.barrier();
    world.free_local(mine);
  });
  EXPECT_GT(packets, 4U);
}

TEST(TwoRuntimes, count_at_one_place_together) {
  harness::run_two_processes([](World& world) {
    const auto mine = world.allocate_local<std::int64_t>(1);
    const auto there = memory_of_other(world, mine);
    const auto counter = world.rank() == 0 ? mine : there;
    constexpr int times = 500;
    for (int i = 0; i < times; ++i) (void)fetch_add(counter, std::int64_t{1});
    world.barrier();
    EXPECT_EQ(get(counter), 2 * times);
    world.barrier();
    world.free_local(mine);
  });
}

struct Counter {
  int calls = 0;
  void add(int n) { calls += n; }
};

/// Calls are one-way: replies of two-way calls must lie at the same address on all nodes.
TEST(TwoRuntimes, call_methods_of_each_others_objects_and_reduce) {
  harness::run_two_processes([](World& world) {
    shared<Counter> counter(world);
    for (int i = 0; i < 100; ++i) counter.async(1 - world.rank(), &Counter::add, 1 + world.rank());
    rmi_fence(world);
    EXPECT_EQ(counter->calls, 100 * (2 - world.rank()));
    EXPECT_EQ(allreduce(world, counter->calls), 300);
  });
}

/// Two runtimes have nothing of each other's, nor of the process's.
TEST(TwoRuntimes, have_a_mapping_and_a_network_each) {
  const space::Mapping* const before = space::Mapping::of_process();
  std::array<std::atomic<const void*>, 2> mappings, networks;
  harness::run_two_processes([&](World& world) {
    const auto me = static_cast<std::size_t>(world.rank());
    mappings[me] = space::Mapping::of_process();
    networks[me] = net::network();
    EXPECT_EQ(&net::network()->mapping(), space::Mapping::of_process());
    world.barrier();
  });
  EXPECT_NE(mappings[0].load(), mappings[1].load());
  EXPECT_NE(networks[0].load(), networks[1].load());
  EXPECT_EQ(space::Mapping::of_process(), before);
  EXPECT_EQ(net::network(), nullptr);
}

}  // namespace
}  // namespace armature
