// victim CALL inside|missing|joining: on three processes or more, the second one dies of SIGKILL
// while it is inside CALL, or instead of calling it, or at some moment of joining the job. The
// others then make the same call, again and again, and say how that went; then they show that they
// still work together, and leave.

#include "victim.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace {

using armature::World;
using namespace std::chrono_literals;

constexpr std::size_t n = 1 << 20;  // doubles that each rank owns and touches
constexpr int rounds = 40;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

[[noreturn]] void die() {
  std::fprintf(stderr, "rank %d dies at %.3f\n", victim_rank, now());
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

/// Dies whatever the process does meanwhile.
void die_after(std::chrono::microseconds delay) {
  std::thread([delay] {
    std::this_thread::sleep_for(delay);
    die();
  }).detach();
}

/// Called by the victim before the last barrier: dies when all survivors are out of that, also when
/// one of them keeps it there by a method.
void die_when_all_are_out(const Scene& scene) {
  std::thread([out = scene.out.local()] {
    for (std::size_t rank = 0; rank < out.size(); ++rank)
      while (!dies(static_cast<int>(rank)) &&
             std::atomic_ref(out[rank]).load(std::memory_order_acquire) == 0)
        std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(100ms);  // for the call
    die();
  }).detach();
}
void say_out(const Scene& scene) {
  try {
    armature::put(scene.out.on(victim_rank) + static_cast<int>(scene.world.rank()),
                  std::int64_t{1});
    armature::fence(victim_rank);
  } catch (const armature::Error& error) {
    if (error.code() != armature::Errc::rank_lost) throw;  // it has heard of it, and died
  }
}

/// The victim notifies nobody.
void await_death() {
  try {
    armature::wait_notify(victim_rank);
  } catch (const armature::Error& error) {
    if (error.code() != armature::Errc::rank_lost) throw;
  }
}

std::vector<armature::Rank> everybody(const World& world) {
  std::vector<armature::Rank> all;
  for (int rank = 0; rank < world.size(); ++rank) all.emplace_back(rank);
  return all;
}

void send_much(int to) {
  static const std::vector<std::byte> block(1 << 20);
  armature::send(to, 1, block);
}
void receive_much(int from) {
  static std::vector<std::byte> block(1 << 20);
  (void)armature::receive(from, 1, block);
}
void create(Scene& s) { (void)armature::Team::create(everybody(s.world)); }
/// Some of whose teams the victim is not in.
void split_by_parity(Scene& s) { (void)s.world.split(s.world.rank() % 2, 0); }

const std::vector<Call>& collective_calls() {
  static const std::vector<Call> calls = {
      {"barrier", [](Scene& s) { s.world.barrier(); }},
      {"broadcast", [](Scene& s) { (void)broadcast(s.world, 1, 0); }},
      {"broadcast_large", [](Scene& s) { broadcast(s.world, std::span(s.data), 1); }},
      {"reduce", [](Scene& s) { reduce(s.world, std::span(s.data).first(10), 0); }},
      {"allreduce", [](Scene& s) { (void)allreduce(s.world, 1.0); }},
      {"allreduce_large", [](Scene& s) { allreduce(s.world, std::span(s.data)); }},
      {"gather",
       [](Scene& s) {
         gather(s.world, std::span<const double>(s.data).first(10),
                std::span(s.all).first(10 * size_of(s)), 0);
       }},
      {"allgather", [](Scene& s) { (void)allgather(s.world, 1); }},
      {"alltoall",
       [](Scene& s) {
         alltoall(s.world, std::span<const double>(s.data).first(10 * size_of(s)),
                  std::span(s.all).first(10 * size_of(s)));
       }},
      {"alltoall_large",
       [](Scene& s) {
         const std::vector<double> from(10'000 * size_of(s));
         std::vector<double> to(from.size());
         alltoall(s.world, std::span(from), std::span(to));
       }},
      {"scan", [](Scene& s) { (void)scan(s.world, 1); }},
      {"create", create},
      // The others leave it out: an invitation is left over.
      {"create_by_one",
       [](Scene& s) {
         if (s.world.rank() == 0)
           create(s);
         else
           armature::wait_notify(victim_rank);
       },
       [](Scene&) { pause(); }},
      {"create_meanwhile", create, forever(create), nullptr, true},
      {"split", [](Scene& s) { (void)s.world.split(0, 0); }},
      {"split_meanwhile", split_by_parity, forever(split_by_parity), nullptr, true},
      {"allocate", [](Scene& s) { (void)s.world.allocate<int>(1000); }},
      {"free",
       [](Scene& s) {
         s.world.free(s.to_free.back());
         s.to_free.pop_back();
       }},
      {"create_mutexes", [](Scene& s) { (void)s.world.create_mutexes(1); }},
      {"destroy_mutexes",
       [](Scene& s) {
         s.world.destroy_mutexes(s.to_destroy.back());
         s.to_destroy.pop_back();
       }},
  };
  return calls;
}

const std::vector<Call>& other_calls() {
  const auto lock = [](Scene& s) { const auto held = s.mutexes.guard(third_rank, 0); };
  const auto accumulate = [](Scene& s) { armature::accumulate(s.piece.on(0), s.data); };
  static const std::vector<Call> calls = {
      // The victim holds the mutex ...
      {"lock_held", lock, [](Scene&) { pause(); },
       [](Scene& s) {
         if (s.world.rank() == victim_rank) s.mutexes.lock(third_rank, 0);
       }},
      // ... or waits for it.
      {"lock_awaited",
       [lock](Scene& s) {
         if (s.world.rank() == third_rank && !s.to_free.empty())
           s.mutexes.unlock(third_rank, 0), s.to_free.clear();
         lock(s);
       },
       lock,
       [](Scene& s) {
         if (s.world.rank() == third_rank) s.mutexes.lock(third_rank, 0);
       }},
      {"wait_notify", [](Scene&) { armature::wait_notify(victim_rank); },
       [](Scene&) { armature::wait_notify(0); }},
      {"notify", [](Scene&) { armature::notify(victim_rank); },
       [](Scene&) { armature::wait_notify(0); }},
      {"receive", [](Scene&) { receive_much(victim_rank); }, [](Scene&) { receive_much(0); }},
      {"send", [](Scene&) { send_much(victim_rank); }, forever([](Scene&) { send_much(0); })},
      {"receive_what_was_sent", forever([](Scene&) { receive_much(victim_rank); }),
       forever([](Scene&) { send_much(0); })},
      {"accumulate", accumulate, forever(accumulate), nullptr, true},
      {"put", [](Scene& s) { armature::put(s.piece.on(victim_rank), s.data); },
       forever([](Scene& s) { armature::put(s.piece.on(0), s.data); }), nullptr, false, true},
      {"get", [](Scene& s) { armature::get(s.data, s.piece.on(victim_rank)); },
       forever([](Scene& s) { armature::get(s.data, s.piece.on(0)); }), nullptr, false, true},
      {"fence", [](Scene&) { armature::fence(victim_rank), armature::fence_all(); },
       forever([](Scene&) { armature::fence_all(); })},
      {"atomic",
       [](Scene& s) { armature::fetch_add(s.piece.on(victim_rank).cast<std::int64_t>(), 1); },
       forever([](Scene& s) { armature::fetch_add(s.piece.on(0).cast<std::int64_t>(), 1); }),
       nullptr, false, true},
      {"finalize", [](Scene&) {}, [](Scene&) { armature::finalize(); }},
  };
  return calls;
}

const Call* find(const std::string& name) {
  for (const auto* calls :
       {&collective_calls(), &async_collectives(), &other_calls(), &remote_calls()})
    for (const Call& call : *calls)
      if (name == call.name) return &call;
  return nullptr;
}

/// The next survivor, or the one before.
int survivor_beside(const World& world, int step) {
  int rank = world.rank();
  do rank = (rank + step + world.size()) % world.size();
  while (dies(rank));
  return rank;
}

/// The survivors: how the call went, and that they can still do something together.
void survive(Scene& scene, const Call& call) {
  const int me = scene.world.rank();
  std::string outcome = "done";
  try {
    for (int i = 0; i < rounds; ++i) call.call(scene);
  } catch (const armature::Error& error) {
    const bool lost = error.code() == armature::Errc::rank_lost;
    outcome = std::string(lost ? "lost: " : "error: ") + error.what();
  }
  std::printf("survivor %d: %s\n", me, outcome.c_str());
  for (int i = 0; i < 20; ++i) scene.survivors.barrier();
  // Nothing that is left of teams that were not made is in the way of others.
  std::vector<armature::Rank> members = everybody(scene.world);
  std::erase_if(members, [](armature::Rank rank) { return dies(rank); });
  const armature::Team team = armature::Team::create(members).split(0, -me);
  const int count = allreduce(team, 1);
  armature::put(scene.piece.on(scene.next), 1.0 * me);
  scene.survivors.barrier();
  const int before = survivor_beside(scene.world, -1);
  std::printf("survivor %d: goes on, %s\n", me,
              count == scene.survivors.size() && scene.piece[0] == before ? "well" : "badly");
  std::fflush(stdout);
}

Scene set_up(World& world, const Call& call) {
  Scene scene{.world = world,
              .piece = world.allocate<double>(n),
              .out = world.allocate<std::int64_t>(static_cast<std::size_t>(world.size())),
              .to_free = {},
              .to_destroy = {},
              .mutexes = world.create_mutexes(1),
              .survivors = world.split(dies(world.rank()) ? -1 : 0, world.rank()),
              .next = survivor_beside(world, 1),
              .target = std::make_unique<armature::shared<Target>>(world),
              .data = std::vector<double>(n, 1),
              .all = std::vector<double>(n)};
  std::ranges::fill(scene.piece.local(), 1.0);
  for (int i = 0; i < rounds; ++i) {
    scene.to_free.push_back(world.allocate<int>(10));
    scene.to_destroy.push_back(world.create_mutexes(1));
  }
  if (call.prepare) call.prepare(scene);
  std::ranges::fill(scene.out.local(), 0);
  if (world.rank() == victim_rank) die_when_all_are_out(scene);
  world.barrier();
  if (dies(world.rank())) return scene;
  say_out(scene);
  // A rank that is out of this one may call a method that keeps another survivor where it is.
  scene.survivors.barrier();
  return scene;
}

int live_and_die(World& world, const Call& call, const std::string& moment) {
  Scene scene = set_up(world, call);
  if (dies(world.rank())) {
    if (moment == "missing")
      for (;;) pause();
    (call.victim ? call.victim : call.call)(scene);
    for (;;) pause();
  }
  const bool dies_before = moment == "inside" ? !call.meanwhile : call.needs_memory;
  if (dies_before) {
    std::this_thread::sleep_for(300ms);  // and takes nothing in meanwhile
    await_death();
  }
  const double end = now() + (call.meanwhile ? 0.4 : 0);
  while (call.meanwhile && now() < end) {
    try {
      call.call(scene);
    } catch (const armature::Error&) {
      break;
    }
  }
  if (call.meanwhile) await_death();
  survive(scene, call);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const Call* const call = argc == 3 ? find(argv[1]) : nullptr;
  if (call == nullptr) {
    for (const Call& c : collective_calls()) std::printf("%s\n", c.name);
    for (const Call& c : async_collectives()) std::printf("%s\n", c.name);
    for (const Call& c : other_calls()) std::printf("%s\n", c.name);
    for (const Call& c : remote_calls()) std::printf("%s\n", c.name);
    return argc == 1 ? 0 : 2;
  }
  const std::string moment = argv[2];
  const char* const rank = std::getenv("ARMATURE_RANK");
  if (moment.starts_with("joining") && rank != nullptr && std::atoi(rank) == victim_rank)
    die_after(std::chrono::microseconds(std::atoi(moment.c_str() + std::strlen("joining"))));
  const int status =
      armature::run(argc, argv, [&](World& world) { return live_and_die(world, *call, moment); });
  std::printf("a survivor has left\n");
  return status;
}
