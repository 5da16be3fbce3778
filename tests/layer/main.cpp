// Ranks that use a layer of their own while they move, are written, restarted, brought back, and
// die.
//
//   layer work ROUNDS [SEED] | save DIR | recover ROUNDS [SEED] | refuse DIR | survive |
//   explain | differ |
//   wait_in_a_handler FOR_WHAT
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <armature/armature.hpp>
#include <armature/checkpoint.hpp>
#include <armature/clock.hpp>
#include <armature/layer.hpp>
#include <armature/virtual.hpp>

#include "board.hpp"

namespace {

using armature::Rank;
using armature::World;
namespace layer = armature::layer;

void require(bool good, const char* what) {
  if (!good) armature::abort(1, what);
}

int drawn(int seed, int what, int below) {
  std::uint64_t x = static_cast<std::uint64_t>(seed) * 1'000'003 + static_cast<std::uint64_t>(what);
  x = (x ^ (x >> 31)) * 0x9e37'79b9'7f4a'7c15;
  x = (x ^ (x >> 29)) * 0xbf58'476d'1ce4'e5b9;
  return static_cast<int>((x >> 33) % static_cast<std::uint64_t>(below));
}

bool is_fiber() { return armature::rank_kind() == armature::RankKind::fiber; }

/// Each to a process that is drawn of so many: all together to any, or for itself to one of its
/// node. One that has died is refused.
void go(World& world, int seed, int round, int processes) {
  if (!is_fiber() || !armature::can_migrate()) return;
  const armature::ProcessId to(drawn(seed, round * 1000 + world.rank(), processes));
  try {
    round % 2 == 0 ? armature::migrate_together(to) : armature::migrate(to);
  } catch (const armature::Error& error) {
    if (error.code() != armature::Errc::bad_argument) throw;
  }
}

class Work {
 public:
  explicit Work(World& world)
      : world_(world),
        me_(world.rank()),
        ranks_(world.size()),
        half_(world.split(me_ % 2, me_)),
        half_context_(layer::make_context(half_)),
        stride_(layer::segment_stride()) {
    // Members of a team have taken other places than those of the other one.
    for (int i = 0; i <= me_ % 2; ++i) own_.push_back(layer::allocate_symmetric(half_, 5000));
    table_ = static_cast<long*>(
        layer::allocate_symmetric(world, static_cast<std::size_t>(ranks_) * sizeof(long)));
    require(is_zero(), "symmetric memory does not begin with zeros");
    const auto place = reinterpret_cast<std::ptrdiff_t>(table_) - me_ * stride_;
    require(allreduce(world, place, armature::Minimum()) == place, "a place is not symmetric");
    const auto other = reinterpret_cast<std::ptrdiff_t>(own_.back()) - me_ * stride_;
    require(allreduce(half_, other, armature::Maximum()) == other, "a team's is not symmetric");
    world.barrier();
  }

  /// Asks before `between()` what is answered after it.
  template <class Between>
  void run(int round, Between&& between) {
    const Rank right = (me_ + 1) % ranks_, left = (me_ + ranks_ - 1) % ranks_;
    for (int other = 0; other < ranks_; ++other) {
      require(board::add(other, 0, me_ + 1), "a rank is said to have died");
      armature::put(layer::symmetric_address(table_, me_, other, stride_) + me_, other);
    }
    std::vector<std::byte> bytes(static_cast<std::size_t>(1 + 7000 * (round % 8)), std::byte{7});
    require(board::add_bytes(right, 1, std::byte{7}, bytes), "a rank is said to have died");
    sent_ += static_cast<long>(bytes.size());
    const std::uint32_t all = board::ask(right, 0, long{round} * ranks_ * (ranks_ + 1) / 2);
    const std::uint32_t later = board::ask(right, 2, round);
    const std::uint32_t long_ones = board::ask(right, 1, sent_);
    send_everywhere(round);
    between();
    require(board::value(2) == round - 1, "a counter is not what it was");
    board::add(me_, 2, 1);
    require(board::await(later) == long{round}, "a request that waits is answered wrongly");
    require(board::await(all) >= long{round} * ranks_ * (ranks_ + 1) / 2, "something was lost");
    require(board::await(long_ones) == sent_, "a long record was lost");
    receive_everywhere(round, left);
    world_.barrier();
    require(std::accumulate(table_, table_ + ranks_, 0L) == long{me_} * ranks_, "a put was lost");
    world_.barrier();  // before the next round's
  }

  void end() {
    layer::free_symmetric(world_, table_);
    for (void* const one : own_) layer::free_symmetric(half_, one);
  }

 private:
  [[nodiscard]] bool is_zero() const {
    return std::all_of(table_, table_ + ranks_, [](long one) { return one == 0; });
  }

  /// Sends the same tags in each context; the program's own last.
  void send_everywhere(int round) {
    const Rank right = (me_ + 1) % ranks_,
               next = half_.world_rank((half_.rank() + 1) % half_.size());
    const auto send = [&](layer::Context context, Rank to, int what) {
      layer::send(context, to, 5, std::as_bytes(std::span(&what, 1)));
    };
    send(board::context(), right, 3 * round);
    send(half_context_, next, 3 * round + 1);
    armature::send(right, 5, 3 * round + 2);
  }

  void receive_everywhere(int round, Rank left) {
    const auto receive = [&](layer::Context context, Rank from) {
      int what = 0;
      (void)layer::receive(context, from, armature::any_tag,
                           std::as_writable_bytes(std::span(&what, 1)));
      return what;
    };
    const Rank before = half_.world_rank((half_.rank() + half_.size() - 1) % half_.size());
    require(armature::receive<int>(Rank::none(), armature::any_tag) == 3 * round + 2,
            "a message of another context was received");
    require(receive(half_context_, before) == 3 * round + 1, "a team's message is another one");
    require(receive(board::context(), left) == 3 * round, "a layer's message is another one");
  }

  World& world_;
  const int me_, ranks_;
  armature::Team half_;
  layer::Context half_context_;
  std::ptrdiff_t stride_;
  std::vector<void*> own_;
  long* table_ = nullptr;
  long sent_ = 0;
};

void work(World& world, int rounds, int seed) {
  Work work(world);
  const int processes = armature::hosting_processes();
  for (int round = 1; round <= rounds; ++round)
    work.run(round, [&] { go(world, seed, round, processes); });
  work.end();
  world.barrier();
  const board::Told told = board::told();
  if (is_fiber() && armature::can_migrate() && armature::hosting_processes() > 1 && rounds > 3)
    require(told.packed > 0 && told.unpacked > 0, "nothing has gone along with a rank");
  if (world.rank() == 0) std::printf("%d ranks, %d rounds: well\n", world.size(), rounds);
}

/// Written while requests are open and posted; whoever is restarted goes on to the same end.
void save(World& world, const std::string& directory) {
  Work work(world);
  bool goes_on = false;
  work.run(1, [&] { go(world, 1, 2, armature::hosting_processes()); });
  work.run(2, [&] { goes_on = armature::checkpoint(directory); });
  work.run(3, [&] { go(world, 1, 4, armature::hosting_processes()); });
  const board::Told told = board::told();
  require(goes_on || told.asked_to_be_quiet >= 2, "the layer was not asked whether it is quiet");
  if (world.rank() == 0) std::printf("%s: well\n", goes_on ? "restarted" : "saved");
}

void recover(World& world, int rounds, int seed) {
  Work work(world);
  const int processes = armature::hosting_processes();
  for (int round = 1; round <= rounds; ++round)
    work.run(round, [&] {
      if (round % 3 == 0) (void)armature::checkpoint_in_memory();
      if (round == 3 && world.rank() == 0) {
        std::printf("the first copy is made\n");
        std::fflush(stdout);
      }
      go(world, seed, round, processes);
    });
  if (world.rank() == 0) std::printf("result well\n");
}

std::string told(const std::function<void()>& what) {
  try {
    what();
  } catch (const armature::Error& error) {
    return error.what();
  }
  return "it was not refused";
}

/// Rank 1's board does not fit its segment: it neither goes nor is written, and has lost nothing.
void refuse(World& world, const std::string& directory) {
  const int me = world.rank(), home = armature::process_of(me).number();
  const auto all_are_told = [&](const std::string& text) {
    const bool is_told = text.find("rank 1 keeps more in its process's memory") != text.npos;
    if (!is_told) std::printf("rank %d: %s\n", me, text.c_str());
    require(is_told, "a rank was not told why");
    require(armature::process_of(me).number() == home, "somebody has moved");
  };
  Work work(world);
  const auto last = armature::ProcessId(armature::hosting_processes() - 1);
  work.run(1, [&] {
    board::set_ballast(me == 1 ? 48 << 20 : 0);
    if (me == 1 && last.number() != home && armature::same_node(1, world.size() - 1))
      require(told([&] { armature::migrate(last); }).find("the rank stays") != std::string::npos,
              "a rank was not refused");
    world.barrier();
    all_are_told(told([&] { armature::migrate_together(last); }));
    all_are_told(told([&] { armature::checkpoint(directory); }));
    world.barrier();
    board::set_ballast(0);
  });
  work.run(2, [&] { armature::migrate_together(last); });
  require(armature::process_of(me) == last, "a rank has stayed");
  require(!armature::checkpoint(directory), "it was restarted");
  work.run(3, [] {});
  if (me == 0) std::printf("refused: well\n");
}

/// The last rank is killed while others wait for it; they are told and go on.
void survive(World& world) {
  const int me = world.rank(), last = world.size() - 1;
  const std::uint32_t request = board::ask(last, 0, 1'000'000);
  world.barrier();
  if (me == last) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    (void)kill(getpid(), SIGKILL);
  }
  require(!board::await(request), "a rank has answered that has died");
  require(board::deaths() == 1, "a rank was not told of a death, or more than once");
  require(!board::add(last, 0, 1), "a record goes to a rank that has died");
  require(!board::await(board::ask(last, 0, 0)), "a rank has answered that has died");
  for (int other = 0; other < last; ++other)
    require(board::add(other, 0, 1), "a rank is said to have died");
  const Rank right = (me + 1) % last;
  require(board::await(board::ask(right, 0, last)) == last, "survivors have lost something");
  try {
    layer::wait_until({.call = "survive", .on = Rank(last)}, [] { return false; });
  } catch (const armature::Error& error) {
    require(error.code() == armature::Errc::rank_lost, "another error");
    if (me == 0) std::printf("survived: well\n");
    return;
  }
}

/// Each waits for what the other one does late, and says so in words.
void explain(World& world) {
  long* const flag = static_cast<long*>(layer::allocate_symmetric(world, sizeof(long)));
  const Rank other = 1 - world.rank();
  if (world.rank() == 0) {
    constexpr std::uint64_t long_ns = 1'000'000'000;
    const std::uint64_t begun_ns = armature::clock_ns();
    const bool held = layer::wait_until({.call = "explain", .until = "a toy is found"}, long_ns,
                                        [] { return false; });
    require(!held && armature::clock_ns() - begun_ns >= long_ns, "it has not waited so long");
    armature::put(layer::symmetric_address(flag, 0, other, layer::segment_stride()), 1L);
    layer::wake(other);
    std::printf("explained: well\n");
  } else {
    layer::wait_until({.call = "explain",
                       .until = "nobody asks",
                       .on = other,
                       .is_told = armature::same_node(0, 1)},
                      [&] { return layer::load(flag) == 1; });
  }
  world.barrier();
}

void wait_in_a_handler(World& world, board::Wait what) {
  if (world.rank() == 0) board::wait_in_a_handler(world.size() - 1, what);
  world.barrier();
  (void)board::await(board::ask(world.rank(), 0, 1));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const std::string directory = argc > 2 ? argv[2] : "";
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 1, seed = argc > 3 ? std::atoi(argv[3]) : 1;
  const char* const rank = std::getenv("ARMATURE_RANK");
  if (what != "differ" || rank == nullptr || *rank == '0') board::add_to_process();
  return armature::run(argc, argv, [&](World& world) {
    if (what == "work") work(world, rounds, seed);
    if (what == "save") save(world, directory);
    if (what == "recover") recover(world, rounds, seed);
    if (what == "refuse") refuse(world, directory);
    if (what == "survive") survive(world);
    if (what == "explain") explain(world);
    if (what == "wait_in_a_handler") wait_in_a_handler(world, static_cast<board::Wait>(rounds));
  });
}
