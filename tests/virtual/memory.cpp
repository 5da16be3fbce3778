// Memory that a rank allocates lies in its segment, goes where it goes, and is freed by whoever has
// it last.
#include <dlfcn.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iomanip>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <armature/armature.hpp>
#include <armature/rank_local.hpp>
#include <armature/virtual.hpp>

#include "checks.hpp"

namespace {

using armature::owner_of;
using armature::ProcessId;
using armature::World;

void what_a_rank_allocates_is_its_own(World& world) {
  const armature::Rank me = world.rank();
  const auto number = std::make_unique<int>(5);
  const std::vector<double> numbers(100'000, 1.5);
  const std::string text(1000, 'x');
  require(
      owner_of(number.get()) == me && owner_of(numbers.data()) == me && owner_of(text.data()) == me,
      "new takes from the rank's segment");
  void* memory = std::calloc(100, 10);
  memory = std::realloc(memory, 100'000);
  require(owner_of(memory) == me, "calloc and realloc do");
  std::free(memory);
  memory = std::aligned_alloc(4096, 8192);
  require(owner_of(memory) == me && reinterpret_cast<std::uintptr_t>(memory) % 4096 == 0,
          "aligned_alloc does");
  require(malloc_usable_size(memory) >= 8192, "and it is as large as asked for");
  std::free(memory);
  memory = memalign(24, 100);
  require(reinterpret_cast<std::uintptr_t>(memory) % 32 == 0, "memalign takes the next power of 2");
  std::free(memory);
  require(posix_memalign(&memory, 24, 100) == EINVAL, "posix_memalign takes none but those");
}

/// It outlives the rank's stay here, and what the rank goes back to.
void what_the_c_library_keeps_is_the_process_s(World& world) {
  require(dlsym(RTLD_DEFAULT, "no such function") == nullptr, "there is none");
  const char* const error = dlerror();
  require(error != nullptr && owner_of(error) < 0, "what dlerror says");
  const std::string name = "ARMATURE_TEST_" + std::to_string(int{world.rank()});
  setenv(name.c_str(), "set", 1);
  require(owner_of(std::getenv(name.c_str())) < 0 && owner_of(environ) < 0, "what setenv keeps");
  setenv("TZ", "AAA5", 1);
  const std::time_t now = 0;
  require(localtime(&now) != nullptr && owner_of(tzname[0]) < 0, "what localtime keeps");
  setenv("TZ", "BBB5", 1);
  std::ostringstream text;
  text << std::put_time(gmtime(&now), "%c");
  require(owner_of(tzname[0]) < 0, "what put_time keeps");
  require(owner_of(std::strerror(99'999)) < 0, "what strerror says");
  const std::unique_ptr<char, void (*)(void*)> copy(strdup("text"), std::free);
  require(owner_of(copy.get()) == world.rank(), "but strdup's copy is the rank's");
}

void what_a_thread_allocates_is_the_rank_s(World& world) {
  int* number = nullptr;
  const auto rank = world.rank();
  std::thread([&] { number = new int(rank); }).join();
  require(owner_of(number) == rank, "a thread works for the rank that has started it");
  delete number;
  auto* mine = new int(5);
  std::thread([&] { delete mine; }).join();
}

/// Frees in a ring: what the left neighbour has made is deleted here, in whichever process.
void anyone_may_free(World& world) {
  using Text = std::string;
  const auto place = world.allocate<Text*>(1);
  const int right = (world.rank() + 1) % world.size(),
            left = (world.rank() + world.size() - 1) % world.size();
  for (int round = 0; round < 200; ++round) {
    auto* const text =
        new Text(static_cast<std::size_t>(round) * 50, static_cast<char>('a' + world.rank() % 26));
    armature::put(place.on(right), text);
    world.barrier();
    Text* const got = place[0];
    require(*got == Text(static_cast<std::size_t>(round) * 50, static_cast<char>('a' + left % 26)),
            "it is what was made");
    require(world.size() == 1 || owner_of(got) == left, "it is the neighbour's");
    delete got;
    world.barrier();
  }
}

void memory_moves_along(World& world) {
  const int processes = armature::domain_count(armature::Domain::process);
  std::vector<std::vector<int>> rows;
  for (int i = 0; i < 300; ++i) {
    rows.emplace_back(static_cast<std::size_t>(i), i * world.rank());
    armature::migrate(ProcessId((i + world.rank()) % processes));
    std::ostringstream text;
    text << "rank " << world.rank() << " in process " << getpid();
    require(text.str().size() > 10, "streams work");
  }
  for (int i = 0; i < 300; ++i)
    require(rows[static_cast<std::size_t>(i)] ==
                std::vector<int>(static_cast<std::size_t>(i), i * world.rank()),
            "what was allocated on the way is there");
}

armature::rank_local<std::vector<int>> own_numbers(std::vector<int>{7});
int ranks_that_ended = 0;  // in this process
int ended = 0;             // of this process: values of the ranks that have ended here
struct Counted {
  Counted() = default;
  Counted(const Counted&) = default;
  Counted& operator=(const Counted&) = default;
  ~Counted();
};
armature::rank_local<Counted> counted;
/// Is used again when it ends, for ever.
Counted::~Counted() {
  if (!armature::initialized()) return;
  ++ended;
  (void)*counted;
}

/// Lets calls in while it is copied.
struct Tally {
  Tally() = default;
  Tally(const Tally& other) : calls(other.calls) {
    for (int i = 0; i < 20; ++i) armature::rmi_poll();
  }
  Tally& operator=(const Tally&) = default;
  int calls = 0;
};
armature::rank_local<Tally> tally;

void a_global_is_made_once(World& world) {
  for (int rank = 0; rank < world.size(); ++rank)
    armature::async(armature::Rank(rank), [] { ++tally->calls; });
  armature::rmi_fence();
  require(tally->calls == world.size(), "none of the calls is lost that came while it was made");
}

void every_rank_has_its_own_globals(World& world) {
  const int processes = armature::domain_count(armature::Domain::process);
  (void)*counted;
  for (int i = 0; i < 100; ++i) {
    own_numbers->push_back(i * world.rank());
    armature::yield();
    armature::migrate(ProcessId((i + world.rank()) % processes));
  }
  require(own_numbers->size() == 101 && own_numbers->front() == 7 &&
              own_numbers->back() == 99 * world.rank(),
          "a rank_local is the rank's own, and goes along");
}

}  // namespace

int main(int argc, char** argv) {
  const int status = armature::run(argc, argv, [](World& world) {
    what_a_rank_allocates_is_its_own(world);
    what_the_c_library_keeps_is_the_process_s(world);
    what_a_thread_allocates_is_the_rank_s(world);
    anyone_may_free(world);
    memory_moves_along(world);
    every_rank_has_its_own_globals(world);
    a_global_is_made_once(world);
    armature::migrate(ProcessId(0));
    world.barrier();
    if (world.rank() == 0) ranks_that_ended = 4 * world.size();  // each as often as may be
  });
  if (ended != ranks_that_ended) std::puts("rank_locals have not ended with their ranks");
  return ended == ranks_that_ended ? status : 1;
}
