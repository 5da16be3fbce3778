// Threads that the program has started, and that are in a call when their rank's body returns; and
// a rank whose own thread ends.
//
//   launch_other_threads CALL            a thread of each rank makes that call for ever
//   launch_other_threads thread_exit R   rank R ends its thread
#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <armature/armature.hpp>

namespace {

using armature::World;

/// Used by the thread, made by its rank.
struct Shared {
  armature::Piece<long> piece;
  armature::Mutexes mutexes;
  armature::Rank next;
  armature::Rank self;
};

void nothing() {}

const std::map<std::string, std::function<void(Shared&)>> calls = {
    {"put", [](Shared& s) { armature::put(s.piece.on(s.next), 1L); }},
    {"get", [](Shared& s) { (void)armature::get(s.piece.on(s.next)); }},
    {"get_long",
     [](Shared& s) {
       std::vector<long> got(1000);
       armature::get(got, s.piece.on(s.next));
     }},
    {"get_async",
     [](Shared& s) {
       long got = 0;
       armature::get_async(&got, s.piece.on(s.next)).wait();
     }},
    {"strided",
     [](Shared& s) {
       std::vector<long> got(100);
       const armature::Patch patch{
           .row_bytes = 80, .rows = 10, .to_stride = 80, .from_stride = 160};
       armature::get_patch(got.data(), s.piece.on(s.next), patch);
     }},
    {"accumulate",
     [](Shared& s) { armature::accumulate(s.piece.on(s.next), std::vector<long>(10, 1)); }},
    {"fetch_add", [](Shared& s) { (void)armature::fetch_add(s.piece.on(s.next), 1L); }},
    {"fence",
     [](Shared& s) {
       armature::put(s.piece.on(s.next), 1L);
       armature::fence(s.next);
     }},
    {"lock",
     [](Shared& s) {
       s.mutexes.lock(static_cast<int>(s.next), 0);
       s.mutexes.unlock(static_cast<int>(s.next), 0);
     }},
    {"lock_that_is_held", [](Shared& s) { s.mutexes.lock(static_cast<int>(s.next), 1); }},
    {"wait_notify", [](Shared& s) { (void)armature::wait_notify(s.next); }},
    {"receive",
     [](Shared& s) {
       std::byte buffer[8];
       (void)armature::receive(s.next, 7, buffer);
     }},
    {"receive_async",
     [](Shared& s) {
       static std::byte buffer[8];  // the receive stays, as nobody ends it
       armature::receive_async(s.next, 7, buffer).wait();
     }},
    {"sync", [](Shared& s) { armature::sync(s.next, &nothing); }},
    {"ask", [](Shared& s) { armature::ask(s.next, &nothing).get(); }},
    {"rmi_poll", [](Shared& /*unused*/) { armature::rmi_poll(); }},
};

// Variables of the process, whose thread stays when its ranks have left.
std::atomic<int> begun = 0, refused = 0;

void call_for_ever(const std::function<void(Shared&)>& call, Shared shared) {
  ++begun;
  begun.notify_all();
  try {
    for (;;) call(shared);
  } catch (const armature::Error& error) {
    std::printf("the thread: %s: %s\n",
                error.code() == armature::Errc::misuse ? "misuse" : "another error", error.what());
    std::fflush(stdout);
    refused = 1;
    refused.notify_all();
  }
}

void leave_a_thread_behind(World& world, const std::string& name) {
  Shared shared{world.allocate<long>(1000), world.create_mutexes(2),
                armature::Rank((world.rank() + 1) % world.size()), world.rank()};
  if (name == "lock_that_is_held") shared.mutexes.lock(world.rank(), 1);
  world.barrier();
  std::thread(call_for_ever, calls.at(name), shared).detach();
  begun.wait(0);
  for (int i = 0; i < 100; ++i) world.barrier();
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const int status = armature::run(argc, argv, [&](World& world) {
    if (words.at(0) != "thread_exit") return leave_a_thread_behind(world, words.at(0));
    world.barrier();
    if (world.rank() == std::stoi(words.at(1))) pthread_exit(nullptr);
    world.barrier();
  });
  refused.wait(0);
  return status;
}
