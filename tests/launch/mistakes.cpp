// The mistakes of beginners, one each time: launch_mistakes MISTAKE. mistakes.py has the sentences
// that they read.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>

#include <armature/algorithm.hpp>
#include <armature/armature.hpp>
#include <armature/container.hpp>
#include <armature/rmi.hpp>

namespace {

using armature::World;

/// Prints what the call throws, or that it throws nothing.
template <class F>
void tell(const char* what, F call) {
  try {
    call();
    std::printf("%s: nothing was said\n", what);
  } catch (const armature::Error& error) {
    std::printf("%s: %s\n", what, error.what());
  }
}

// -- threads -------------------------------------------------------------------------------------

void call_from_a_thread(World& world) {
  const auto piece = world.allocate<int>(1);
  std::thread([&] {
    tell("put", [&] { armature::put(piece.on(world.rank()), 1); });
    tell("async", [] { armature::async(0, [] {}); });
    tell("notify", [] { armature::notify(0); });
    if (armature::same_process(0, 1)) tell("barrier", [&] { world.barrier(); });
  }).join();
  world.barrier();
}

/// The rank's own thread enters a barrier while another one of its process is in one.
void two_threads_in_a_barrier(World& world) {
  if (world.rank() == 0) {
    std::atomic<bool> is_next = false;
    std::thread other([&] {
      is_next = true;
      tell("other thread", [&] { world.barrier(); });
    });
    // It waits for rank 1, which comes when this one has been refused.
    while (!is_next) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::seconds(1));
    tell("own thread", [&] { world.barrier(); });
    armature::notify(1);
    other.join();
  } else {
    armature::wait_notify(0);
    world.barrier();
  }
  world.barrier();
}

// -- members that disagree -----------------------------------------------------------------------

void allocate_on_one(World& world) {
  if (world.rank() == 0)
    (void)world.allocate<int>(10);
  else
    world.barrier();
}

void sort_on_one(World& world) {
  armature::distributed_vector<int> numbers(world, 100);
  if (world.rank() == 0)
    armature::sort(numbers);
  else
    (void)allgather(world, 1);
}

void make_container_on_one(World& world) {
  if (world.rank() == 0)
    (void)armature::distributed_vector<int>(world, 100);
  else
    world.barrier();
}

void different_roots(World& world) {
  int value = 1;
  (void)broadcast(world, value, world.rank());
  world.barrier();
}

void different_counts(World& world) {
  armature::distributed_vector<int> numbers(world, 100);
  (void)armature::histogram(numbers, world.rank() == 0 ? 10 : 20, [](int n) { return n; });
}

// -- remote calls --------------------------------------------------------------------------------

struct Kitchen {
  [[gnu::noinline]] void cook(int /*dishes*/) { throw std::runtime_error("there is no soup"); }
};

void throw_in_a_method(World& world) {
  armature::shared<Kitchen> kitchen(world);
  if (world.rank() == 1) kitchen.async(0, &Kitchen::cook, 3);
  armature::rmi_fence();
}

// -- memory --------------------------------------------------------------------------------------

void put_past_the_end(World& world) {
  const auto piece = world.allocate<int>(16);
  if (world.rank() == 1) armature::put(piece.on(0) + 16, 1);
  world.barrier();
}

void put_after_free(World& world) {
  auto piece = world.allocate<int>(1 << 16);
  const auto there = piece.on(0);
  world.free(piece);
  world.barrier();  // each has given its own part back
  if (world.rank() == 1) armature::put(there, 1);
  world.barrier();
}

void own_element_past_the_end(World& world) {
  const auto piece = world.allocate<int>(10);
  piece[100'000] = 1;
  world.barrier();
}

[[gnu::noinline]] void write_to(volatile int* address) { *address = 1; }
void segfault(World& world) {
  if (world.rank() == 1) write_to(reinterpret_cast<int*>(0x123456789000));
  world.barrier();
}

// -- hangs ---------------------------------------------------------------------------------------

void one_leaves_a_barrier_out(World& world) {
  if (world.rank() == 0) sleep(1000);
  world.barrier();
}

void spin_in_get(World& world) {
  const auto piece = world.allocate<int>(1);
  if (world.rank() == 0) sleep(1000);
  while (armature::get(piece.on(0)) == 0) {
  }
}

const std::map<std::string, std::function<void(World&)>> mistakes = {
    {"thread", call_from_a_thread},
    {"two_threads", two_threads_in_a_barrier},
    {"allocate", allocate_on_one},
    {"sort", sort_on_one},
    {"container", make_container_on_one},
    {"roots", different_roots},
    {"counts", different_counts},
    {"method", throw_in_a_method},
    {"past_the_end", put_past_the_end},
    {"after_free", put_after_free},
    {"own_element", own_element_past_the_end},
    {"segfault", segfault},
    {"barrier", one_leaves_a_barrier_out},
    {"spin", spin_in_get},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || !mistakes.contains(argv[1])) return 2;
  armature::run(argc, argv, [&](World& world) { mistakes.at(argv[1])(world); });
}
