// The launch tests launch this one program, whose ranks behave as its arguments say.
//
//   launch_program end                   all leave in order
//   launch_program <fault> RANK          that rank faults while the others wait in a barrier
//   launch_program hold <what> [RANK]    ranks block, for good, in that call
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <armature/armature.hpp>
#include <armature/rmi.hpp>

#include "slow_exit.hpp"

namespace {

using armature::World;
using Words = std::vector<std::string>;

constexpr std::chrono::hours forever(24);
void sleep_forever() { std::this_thread::sleep_for(forever); }

// -- faults
// ------------------------------------------------------------------------------------------

[[gnu::noinline]] void touch(volatile int* address) { *address = 1; }

struct Noisy {
  ~Noisy() { std::fprintf(stderr, "unwound\n"); }
};
[[gnu::noinline]] void throw_something() {
  const Noisy noisy;
  throw std::runtime_error("the soup is cold");
}
[[gnu::noinline]] int recurse(int depth) {
  volatile char waste[4096] = {};
  return depth < 0 ? 0 : recurse(depth + 1) + waste[depth % 4096];
}

const std::map<std::string, std::function<void(World&)>> faults = {
    {"segfault",
     [](World&) {
       const volatile std::uintptr_t nowhere = 16;
       touch(reinterpret_cast<int*>(nowhere));
     }},
    {"overflow", [](World&) { std::printf("%d\n", recurse(0)); }},
    {"throw", [](World&) { throw_something(); }},
    {"throw_int", [](World&) { throw 42; }},
    {"misuse",
     [](World& world) { armature::put(armature::global_ptr<int>(world.size() + 7, nullptr), 1); }},
    {"call_throws",
     [](World&) {
       armature::async(0, [] { throw std::runtime_error("the method has no soup"); });
     }},
    {"misuse_null", [](World&) { armature::put(armature::global_ptr<int>(), 1); }},
    {"abort", [](World&) { std::abort(); }},
    {"armature_abort", [](World&) { armature::abort(5, "no point in going on"); }},
    {"armature_abort_256", [](World&) { armature::abort(256, "nor in ending so"); }},
    {"exit0", [](World&) { std::exit(0); }},
    {"exit7", [](World&) { std::exit(7); }},
    {"quick_exit", [](World&) { _exit(0); }},
    {"kill", [](World&) { kill(getpid(), SIGKILL); }},
};

// -- places to block in: rank 0 is what the others wait for
// -------------------------------------------

void hold_mutex(World& world) {
  const auto mutexes = world.create_mutexes(1);
  if (world.rank() == 0) mutexes.lock(0, 0);
  world.barrier();
  if (world.rank() == 0) sleep_forever();
  mutexes.lock(0, 0);
}

/// Each holds its own mutex and wants the next one's.
void lock_in_a_ring(World& world) {
  const auto mutexes = world.create_mutexes(1);
  mutexes.lock(world.rank(), 0);
  world.barrier();
  mutexes.lock((world.rank() + 1) % world.size(), 0);
}

void fill_mailbox(World& world) {
  const std::vector<std::byte> message(1 << 20);
  if (world.rank() == 0) sleep_forever();
  for (;;) armature::send(0, 1, message);
}

void receive_nothing(World& world) {
  std::byte buffer[8];
  if (world.rank() == 0) sleep_forever();
  armature::receive(0, 3, buffer);
}

void create_team(World& world) {
  std::vector<armature::Rank> all;
  for (int rank = 0; rank < world.size(); ++rank) all.emplace_back(rank);
  if (world.rank() == 0) sleep_forever();
  const auto team = armature::Team::create(all);
}

void hold_element(World& world) {
  // Everybody accumulates to rank 0 for ever: whoever is killed may hold the lock of the chunk.
  const auto piece = world.allocate<double>(4096);
  const std::vector<double> ones(4096, 1.0);
  for (;;) armature::accumulate(piece.on(0), ones);
}

/// Remote calls; rank 0 takes none in, unless it is in a method that does not return.
void ask(World& world) {
  if (world.rank() == 0) sleep_forever();
  armature::sync(0, [] {});
}
void ask_for_ever(World& world) {
  if (world.rank() != 0) armature::sync(0, [] { sleep_forever(); });
  armature::rmi_fence();
}
void await_continuation(World& world) {
  if (world.rank() == 0) sleep_forever();
  armature::ask(0, [] { return 1; }).then([](int n) { return n; }).wait();
}
void reduce_remotely(World& world) {
  const auto rank = [](armature::Rank of) { return static_cast<int>(of); };
  if (world.rank() == 0) sleep_forever();
  std::vector<armature::future<int>> all;
  for (int r = world.size(); r-- > 0;) all.push_back(armature::ask(r, rank, r));
  (void)armature::when_all(std::move(all)).get();
}

/// All but rank 0 make that call, or those.
std::function<void(World&)> without_rank_0(void (*call)(World&)) {
  return [call](World& world) {
    if (world.rank() == 0) sleep_forever();
    call(world);
  };
}

const std::map<std::string, std::function<void(World&)>> holds = {
    {"computing",
     [](World&) {
       const volatile bool busy = true;
       while (busy) {
       }
     }},
    {"asleep", [](World&) { sleep_forever(); }},
    {"barrier", without_rank_0([](World& world) { world.barrier(); })},
    {"collective", without_rank_0([](World& world) { (void)allreduce(world, 1); })},
    {"broadcast", without_rank_0([](World& world) { (void)broadcast(world, 1, 0); })},
    {"notify", without_rank_0([](World&) { armature::wait_notify(0); })},
    {"finalize", without_rank_0([](World&) {})},
    {"mutex", hold_mutex},
    {"mutex_ring", lock_in_a_ring},
    {"room", fill_mailbox},
    {"message", receive_nothing},
    {"team", create_team},
    {"element", hold_element},
    {"question", ask},
    {"method", ask_for_ever},
    {"future", await_continuation},
    {"when_all", reduce_remotely},
    {"calls", without_rank_0([](World&) {
       for (;;) armature::async(0, [] {});
     })},
    {"rmi_fence", without_rank_0([](World&) { armature::rmi_fence(); })},
    {"rmi_wait", [](World&) { armature::rmi_wait(); }},
};

// -- others
// ------------------------------------------------------------------------------------------

void count_signals(World& world) {
  static volatile sig_atomic_t last = 0;
  for (int number : {SIGUSR1, SIGUSR2, SIGTERM})
    signal(number, [](int arrived) { last = arrived; });
  world.barrier();
  if (world.rank() == 0) std::printf("ready\n"), std::fflush(stdout);
  while (last != SIGTERM) {
    pause();
    std::printf("rank %d got %d\n", world.rank(), static_cast<int>(last));
    std::fflush(stdout);
  }
}

void leave_an_orphan(World&) {
  if (fork() == 0) {
    setsid();
    if (fork() == 0) sleep_forever();
    _exit(0);
  }
}

/// A method that the service thread of rank 0 runs.
void exit_in_a_method(World& world) {
  world.barrier();
  if (world.rank() == 0) sleep_forever();
  if (world.rank() == 1) armature::sync(0, [] { std::exit(7); });
  world.barrier();
}

/// Aborts while stdin is locked, as it is while somebody reads from it.
void abort_beside_a_reader(World& world) {
  if (world.rank() == 0) flockfile(stdin);
  world.barrier();
  if (world.rank() == 1) armature::abort(5, "no point in reading on");
  sleep_forever();
}

/// Nothing of it is the rank's own end.
void outlive_forked_children(World& world) {
  std::string ends;
  for (const auto& end : {+[] { std::abort(); }, +[] { std::terminate(); }, +[] { std::exit(0); },
                          +[] { armature::abort(9, "a child gives up"); }}) {
    const pid_t child = fork();
    if (child == 0) end();
    int status = 0;
    waitpid(child, &status, 0);
    ends += std::to_string(status) + " ";
  }
  world.barrier();
  std::printf("%sare well\n", ends.c_str());
}

/// A rank dies, the others notice in a barrier and go on without it.
void survive(World& world) {
  try {
    world.barrier();  // who dies before all nodes have found each other ends the job
    if (world.rank() == 1) kill(getpid(), SIGKILL);
    for (;;) world.barrier();
  } catch (const armature::Error& error) {
    std::printf("rank %d goes on: %s\n", world.rank(), error.what());
  }
}

void survive_mutex(World& world) {
  const auto mutexes = world.create_mutexes(1);
  if (world.rank() == 0) mutexes.lock(0, 0);
  try {
    world.barrier();
    if (world.rank() == 0) kill(getpid(), SIGKILL);
    mutexes.lock(0, 0);
  } catch (const armature::Error& error) {
    std::printf("rank %d goes on: %s\n", world.rank(), error.what());
  }
}

void write_lines(World& world) {
  for (int i = 0; i < 200; ++i) {
    std::printf("line %d ", i);
    std::fflush(stdout);
    std::printf("of rank %d\n", world.rank());
  }
  std::fprintf(stderr, "no line end");
}

/// A thread that the program has started itself may do this.
void use_another_thread(World& world) {
  const auto piece = world.allocate<int>(1);
  std::thread([&] {
    armature::put(piece.on((world.rank() + 1) % world.size()), 5);
    const std::function<void()> calls[] = {[] { armature::notify(0); }, [&] { world.barrier(); },
                                           [&] { (void)world.create_mutexes(1); }};
    for (const auto& call : calls) try {
        if (armature::same_process(0, 1)) call();
      } catch (const armature::Error& error) {
        std::printf("%s\n", error.what());
      }
  }).join();
  world.barrier();
  if (piece[0] == 5) std::printf("rank %d: its thread has put\n", world.rank());
}

[[gnu::noinline]] int descend(std::size_t bytes) {
  volatile char waste[4096] = {};
  return bytes < sizeof waste ? 0 : descend(bytes - sizeof waste) + waste[bytes % sizeof waste];
}

const std::map<std::string, std::function<void(World&)>> others = {
    {"end", [](World& world) { world.barrier(); }},
    {"one_more",
     [](World& world) {
       if (world.rank() == 0) (void)allreduce(world, 1);
     }},
    {"one_more_barrier",
     [](World& world) {
       if (world.rank() != 0) world.barrier();
     }},
    {"signals", count_signals},
    {"orphan", leave_an_orphan},
    {"exit_in_a_method", exit_in_a_method},
    {"exit_slowly", exit_slowly},
    {"abort_beside_a_reader", abort_beside_a_reader},
    {"forked_children", outlive_forked_children},
    {"survive", survive},
    {"survive_mutex", survive_mutex},
    {"lines", write_lines},
    {"stdin",
     [](World& world) {
       const int first = std::getchar();
       std::printf("rank %d reads %d\n", world.rank(), first);
     }},
    {"where",
     [](World& world) {
       std::printf("rank %d of %d in process %d, pid %d\n", world.rank(), world.size(),
                   armature::process_of(world.rank()).number(), static_cast<int>(getpid()));
       std::fflush(stdout);
     }},
    {"segfault_all",
     [](World& world) {
       world.barrier();
       faults.at("segfault")(world);
     }},
    {"misuse_all",
     [](World& world) {
       std::signal(SIGTERM, SIG_IGN);  // none is to be ended before it has failed by itself
       world.barrier();
       (void)world.create_mutexes(-1);
     }},
    {"other_thread", use_another_thread},
    {"run_again",
     [](World&) { (void)armature::run(0, nullptr, [](World& again) { again.barrier(); }); }},
    {"bound",
     [](World& world) {
       cpu_set_t mask;
       sched_getaffinity(0, sizeof mask, &mask);
       std::printf("rank %d may use %d\n", world.rank(), CPU_COUNT(&mask));
     }},
};

int behave(World& world, const Words& words) {
  const std::string& what = words.at(0);
  if (what == "hold") {
    holds.at(words.at(1))(world);
  } else if (what == "deep") {
    if (descend(std::stoul(words.at(1))) == 0) std::printf("rank %d was deep\n", world.rank());
  } else if (what == "return") {
    return world.rank() == std::stoi(words.at(1)) ? std::stoi(words.at(2)) : 0;
  } else if (const auto fault = faults.find(what); fault != faults.end()) {
    world.barrier();
    if (world.rank() == std::stoi(words.at(1))) fault->second(world);
    world.barrier();
  } else {
    others.at(what)(world);
  }
  return 0;
}

int join_by_init() {
  try {
    armature::init().barrier();
    armature::finalize();
    return 0;
  } catch (const armature::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Words words(argv + 1, argv + argc);
  const char* rank = std::getenv("ARMATURE_RANK");
  const int me = rank != nullptr ? std::atoi(rank) : 0;
  if (words.at(0) == "never_join" && std::stoi(words.at(1)) == me) return 0;
  const bool holds = words[0] == "hold" && words.at(1) == "start";  // all, or one
  if (holds && (words.size() == 2 || std::stoi(words[2]) == me)) sleep_forever();
  if (holds) signal(SIGUSR1, [](int) { _exit(0); });
  if (words.at(0) == "abort_early") armature::abort(5, "there is nothing to join for");
  if (words.at(0) == "init") return join_by_init();
  return armature::run(argc, argv, [&](World& world) {
    return words[0] == "never_join" ? (world.barrier(), 0) : behave(world, words);
  });
}
