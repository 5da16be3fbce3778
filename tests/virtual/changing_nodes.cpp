// Virtual ranks that go to other nodes: what they have, what others put there, calls, teams and
// what is counted go on.
//
//   virtual_changing_nodes work ROUNDS [SEED] | gather | refuse | leave | stand | leave_alone |
//   save DIR | fail DIR | wander | recover ROUNDS [SEED] | recover_gathered FILE
#include <iconv.h>

#include <array>
#include <chrono>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <armature/armature.hpp>
#include <armature/checkpoint.hpp>
#include <armature/expose.hpp>
#include <armature/layer.hpp>
#include <armature/rmi.hpp>
#include <armature/virtual.hpp>

#include "checks.hpp"
#include "under_way.hpp"

namespace {

using armature::Rank;
using armature::World;

/// A number from 0 to below `below`, the same for all who ask the same.
int drawn(int seed, int what, int below) {
  std::uint64_t x = static_cast<std::uint64_t>(seed) * 1'000'003 + static_cast<std::uint64_t>(what);
  x = (x ^ (x >> 31)) * 0x9e37'79b9'7f4a'7c15;
  x = (x ^ (x >> 29)) * 0xbf58'476d'1ce4'e5b9;
  return static_cast<int>((x >> 33) % static_cast<std::uint64_t>(below));
}

struct Sum {
  long all = 0;
  void add(long what) { all += what; }
  long value() { return all; }
};

/// A layer keeps this of each rank in the memory of the process that the rank is in.
class Layer {
 public:
  static void add() {
    (void)armature::layer::add_service(
        {.name = "counts", .pack_rank = pack, .unpack_rank = unpack, .forget = forget});
  }
  static long& of(int rank) { return counts[static_cast<std::size_t>(rank)]; }

 private:
  static void pack(Rank rank, std::vector<std::byte>& to) {
    if (of(rank) == 0) return;
    const auto bytes = std::as_bytes(std::span(&of(rank), 1));
    to.insert(to.end(), bytes.begin(), bytes.end());
  }
  static void unpack(Rank rank, std::span<const std::byte> from) {
    require(of(rank) == 0, "a process has not forgotten a rank that had left it");
    require(from.size() == sizeof(long), "a layer is given what it has not packed");
    std::memcpy(&of(rank), from.data(), sizeof(long));
  }
  static void forget(Rank rank) { of(rank) = 0; }

  static inline std::array<long, 64> counts{};
};

/// Kept by a rank for itself: on its heap, and in a tree of small pieces; and by a layer,
/// elsewhere.
struct Own {
  std::map<int, std::string> names;
  std::vector<long> numbers;
  mutable long checks = 1;

  explicit Own(int me) : numbers(10'000, me) {
    Layer::of(me) = checks;
    for (int i = 0; i < 100; ++i) names[i] = std::to_string(me) + "." + std::to_string(i);
  }
  void check(int me) const {
    require(names.size() == 100, "a tree has changed");
    for (const auto& [i, name] : names)
      require(name == std::to_string(me) + "." + std::to_string(i), "a name has changed");
    require(std::accumulate(numbers.begin(), numbers.end(), 0L) == 10'000L * me,
            "numbers have changed");
    require(Layer::of(me) == checks, "what a layer keeps of a rank is not what it was");
    Layer::of(me) = ++checks;
  }
};

/// Everybody with everybody, by all there is; what is asked of others stands for `round` rounds.
class Everything {
 public:
  explicit Everything(World& world)
      : world_(world),
        table_(world.allocate<long>(static_cast<std::size_t>(world.size()))),
        count_(world.allocate<long>(1)),
        sum_(world),
        half_(world.split(world.rank() % 2, world.rank())),
        exposed_(armature::expose(std::span(own_))),
        exposed_by_(
            world.allocate<armature::global_ptr<long>>(static_cast<std::size_t>(world.size()))) {
    for (int other = 0; other < world.size(); ++other)
      armature::put(exposed_by_.on(other) + world.rank(), exposed_.pointer());
    armature::fence_all();
    world.barrier();
  }

  void run(int round) {
    const int ranks = world_.size(), me = world_.rank();
    for (int other = 0; other < ranks; ++other) {
      armature::put(table_.on(other) + me, long{round} * ranks + me);
      armature::fetch_add(count_.on(other), 1L);
      const auto theirs = exposed_by_.local()[static_cast<std::size_t>(other)];
      armature::accumulate(theirs + 1, long{me});
      armature::fetch_add(theirs, 1L);
      sum_.async(other, &Sum::add, long{me});
    }
    armature::notify((me + 1) % ranks);
    armature::wait_notify((me + ranks - 1) % ranks);
    const long said = long{round} * me;
    long heard = -1;
    armature::send(Rank((me + 1) % ranks), 1, std::as_bytes(std::span(&said, 1)));
    armature::receive(Rank((me + ranks - 1) % ranks), 1,
                      std::as_writable_bytes(std::span(&heard, 1)));
    require(heard == long{round} * ((me + ranks - 1) % ranks), "a message says something else");
    armature::rmi_fence();
    for (int writer = 0; writer < ranks; ++writer)
      require(table_.local()[writer] == long{round} * ranks + writer, "a put was lost");
    require(count_.local()[0] == long{round} * ranks, "an addition was lost");
    require(own_[0] == long{round} * ranks && own_[1] == long{round} * ranks * (ranks - 1) / 2,
            "an addition to what is exposed was lost");
    const int to = drawn(round, me, ranks);
    require(sum_.sync(to, &Sum::value) == long{round} * ranks * (ranks - 1) / 2, "a call was lost");
    require(armature::get(table_.on(to) + me) == long{round} * ranks + me, "a get is wrong");
    require(allreduce(half_, 1, std::plus<>()) == half_.size(), "a team has lost somebody");
    armature::rmi_fence(half_);
    world_.barrier();
  }

 private:
  World& world_;
  armature::Piece<long> table_;
  armature::Piece<long> count_;
  armature::shared<Sum> sum_;
  armature::Team half_;
  std::array<long, 2> own_{};  // on the rank's stack
  armature::Exposed<long> exposed_;
  armature::Piece<armature::global_ptr<long>> exposed_by_;
};

/// It keeps what it has allocated meanwhile, and finds it when the rank has left.
void use_c_library() {
  const std::time_t now = 0;
  require(localtime(&now) != nullptr, "a time");
  wchar_t wide[4];
  require(std::mbstowcs(wide, "h\xc3\xa9", 4) == 2, "two characters");
  require(std::strerror(99'999) != nullptr, "an error that there is not");
  if (const iconv_t conversion = iconv_open("UTF-16", "UTF-8"); conversion != iconv_t(-1))
    iconv_close(conversion);
  for (int i = 0; i < 8; ++i) on_exit([](int, void*) {}, nullptr);
}

int where(Rank rank) { return armature::process_of(rank).number(); }

void go(World& world, int process) {
  armature::migrate_together(armature::ProcessId(process));
  const bool is_balanced = std::getenv("STORM_BALANCED") != nullptr;  // it may have gone on
  require(where(world.rank()) == process || is_balanced, "it is elsewhere");
  world.barrier();
}

void work(World& world, int rounds, int seed) {
  const int me = world.rank(), processes = armature::hosting_processes();
  Own own(me);
  Everything everything(world);
  for (int round = 1; round <= rounds; ++round) {
    everything.run(round);
    LeftOver left(world, round);
    go(world, drawn(seed, round * 1000 + me, processes));
    left.take();
    own.check(me);
  }
  everything.run(rounds + 1);
  if (me == 0) std::printf("%d ranks, %d rounds: well\n", world.size(), rounds);
}

/// All in one process, then in another one, then each where it was.
void gather(World& world) {
  const int home = where(world.rank()), processes = armature::hosting_processes();
  Own own(world.rank());
  Everything everything(world);
  int round = 0;
  everything.run(++round);
  for (const int process : {0, processes - 1, home}) {
    go(world, process);
    everything.run(++round);
    use_c_library();
  }
  own.check(world.rank());
  if (world.rank() == 0) std::printf("gathered: well\n");
}

std::string refused(int process) {
  try {
    armature::migrate_together(armature::ProcessId(process));
  } catch (const armature::Error& error) {
    return error.what();
  }
  return "not refused";
}

void refuse(World& world) {
  const int home = where(world.rank());
  std::string told = refused(world.rank() == 1 ? 99 : home);
  if (world.rank() == 0) std::printf("%s\n", told.c_str());
  {
    const armature::Pinned stays;
    told = refused(armature::hosting_processes() - 1 - home);
    if (world.rank() == 0) std::printf("%s\n", told.c_str());
  }
  require(where(world.rank()) == home, "somebody has moved");
  world.barrier();
}

/// Goes, and ends there; a node may have no rank left.
int leave(World& world) {
  go(world, armature::hosting_processes() - 1);
  return world.rank() == 0 ? 7 : 0;
}

/// Ranks of the first process and those of the last one change places; the last rank does nothing.
void stand(World& world) {
  go(world, armature::hosting_processes() - 1 - where(world.rank()));
  if (world.rank() == world.size() - 1) std::this_thread::sleep_for(std::chrono::seconds(60));
  world.barrier();
}

/// The first process has no ranks any more, while the others' wait for long.
void leave_alone(World& world) {
  go(world, armature::hosting_processes() - 1);
  if (world.rank() == 0) std::this_thread::sleep_for(std::chrono::seconds(60));
  world.barrier();
}

/// Written half way; whoever is restarted from there goes on to the same end.
void save(World& world, const std::string& directory) {
  const int me = world.rank();
  Own own(me);
  Everything everything(world);
  int round = 0;
  everything.run(++round);
  go(world, (where(me) + 1) % armature::hosting_processes());
  everything.run(++round);
  LeftOver left(world, round);
  const bool goes_on = armature::checkpoint(directory);
  left.take();
  own.check(me);
  everything.run(++round);
  go(world, (where(me) + 1) % armature::hosting_processes());
  everything.run(++round);
  own.check(me);
  if (me == 0) std::printf("%s: well\n", goes_on ? "restarted" : "saved");
}

/// Ranks go from node to node without end; a checkpoint is made wherever one is asked for.
void wander(World& world) {
  for (;;) {
    go(world, (where(world.rank()) + 1) % armature::hosting_processes());
    (void)armature::checkpoint({.when_due = true});
  }
}

/// Runs in processes that are killed: ranks go where others are, between copies.
void recover(World& world, int rounds, int seed) {
  int goes = 0;
  // The rank goes by itself, to another process of its node.
  const auto go_near = [&] {
    const Rank who = drawn(seed, ++goes * 7919 + world.rank(), world.size());
    if (armature::same_node(world.rank(), who)) armature::migrate(armature::process_of(who));
  };
  const int me = world.rank(), to = (me + 1) % world.size(),
            from = (me + world.size() - 1) % world.size();
  Own own(me);
  Everything everything(world);
  for (int round = 1; round <= rounds; ++round) {
    everything.run(round);
    armature::send(Rank(to), 2, std::as_bytes(std::span(&round, 1)));
    go_near();
    armature::notify(to);
    if (round % 3 == 0) (void)armature::checkpoint_in_memory();
    go_near();
    const Rank there = drawn(seed, round * 1000 + me, world.size());
    world.barrier();
    if (round % 4 == 1) armature::migrate_together(armature::process_of(there));
    int heard = 0;
    armature::wait_notify(from);
    armature::receive(Rank(from), 2, std::as_writable_bytes(std::span(&heard, 1)));
    require(heard == round, "what was sent before is another message");
    own.check(me);
  }
  if (me == 0) std::printf("result well\n");
}

/// All in one process, so that nodes have no ranks, and wanting something of all all the time,
/// until that file is there.
void recover_gathered(World& world, const std::string& file) {
  const Own own(world.rank());
  armature::migrate_together(armature::ProcessId(0));
  bool ends = false;
  for (int round = 1; !ends; ++round) {
    (void)armature::checkpoint_in_memory();
    if (world.rank() == 0) {
      ends = std::filesystem::exists(file);
      if (round <= 100) std::printf("copies: %d\n", round);  // nobody reads on
      std::fflush(stdout);
    }
    broadcast(world, std::span<bool>(&ends, 1), 0);
    own.check(world.rank());
  }
  if (world.rank() == 0) std::printf("result well\n");
}

/// A checkpoint that fails does not count. The next goes on from the one before it, also where some
/// processes had written their parts, as those have that host no ranks.
template <class Told>
void fail_after_a_first(World& world, const Told& told) {
  armature::migrate_together(armature::process_of(world.size() - 1));
  require(told() == "it was written", "the first of a chain was not written");
  {
    std::optional<armature::Pinned> stays;
    if (world.rank() == world.size() - 1) stays.emplace();
    require(told() != "it was written", "it was written though a rank cannot move");
  }
  require(told() == "it was written", "what follows one that failed was not written");
}

/// Cannot be written: all are told, and go on.
void fail(World& world, const std::string& directory) {
  const auto told = [&](const std::string& where, bool incremental = false) -> std::string {
    try {
      (void)armature::checkpoint(where, {.incremental = incremental});
    } catch (const armature::Error& error) {
      return error.what();
    }
    return "it was written";
  };
  std::string first = told("/dev/null/no/such"), second;
  {
    std::optional<armature::Pinned> stays;
    if (world.rank() == world.size() - 1) stays.emplace();
    second = told(directory);
  }
  std::error_code none;  // or an empty one
  const bool is_there = !std::filesystem::is_empty(directory, none) && !none;
  require(!is_there, "what was refused has left something");
  world.barrier();
  require(first != "it was written" && second != "it was written", "it was written");
  Everything everything(world);
  everything.run(1);
  require(told(directory) == "it was written", "it was not written in the end");
  if (world.rank() == 0) std::printf("%s\n%s\n", first.c_str(), second.c_str());
  fail_after_a_first(world, [&] { return told(directory, true); });
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const std::string directory = argc > 2 ? argv[2] : "";
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 1, seed = argc > 3 ? std::atoi(argv[3]) : 1;
  require(std::setlocale(LC_CTYPE, "C.UTF-8") != nullptr, "a locale");
  Layer::add();
  return armature::run(argc, argv, [&](World& world) {
    if (what == "work") work(world, rounds, seed);
    if (what == "gather") gather(world);
    if (what == "refuse") refuse(world);
    if (what == "stand") stand(world);
    if (what == "leave_alone") leave_alone(world);
    if (what == "save") save(world, directory);
    if (what == "fail") fail(world, directory);
    if (what == "wander") wander(world);
    if (what == "recover") recover(world, rounds, seed);
    if (what == "recover_gathered") recover_gathered(world, directory);
    return what == "leave" ? leave(world) : 0;
  });
}
