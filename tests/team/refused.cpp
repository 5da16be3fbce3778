// A collective call that fails at one member ends in the same way at all, and leaves no memory
// behind: whichever call it is, and whichever member, on whatever node, lacks memory.
//   team_refused CALL POOR      rank POOR has no memory when all make the call
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <armature/armature.hpp>
#include <armature/container/vector.hpp>
#include <armature/rmi.hpp>

namespace {

using armature::Errc;
using armature::World;

void require(bool holds, const char* what) {
  if (!holds) armature::abort(3, what);
}

/// All memory of the rank's segment: by a team of its own, as what is freed of that is not kept.
class Hoard {
 public:
  explicit Hoard(const armature::Team& alone) : alone_(alone) {
    for (std::size_t bytes = 32 << 20; bytes >= 64; bytes /= 2) try {
        for (;;) pieces_.push_back(alone.allocate<char>(bytes));
      } catch (const armature::Error& error) {
        require(error.code() == Errc::out_of_memory, "an error that is none of memory");
      }
  }
  Hoard(const Hoard&) = delete;
  Hoard& operator=(const Hoard&) = delete;
  ~Hoard() {
    for (auto& piece : pieces_) alone_.free(piece);
  }

 private:
  const armature::Team& alone_;
  std::vector<armature::Piece<char>> pieces_;
};

std::vector<armature::Rank> all_ranks(const World& world) {
  std::vector<armature::Rank> ranks;
  for (int rank = 0; rank < world.size(); ++rank) ranks.emplace_back(rank);
  return ranks;
}

struct Picky {
  explicit Picky(bool refuses) {
    if (refuses) throw std::bad_alloc();
  }
};

using Call = std::function<void(World&, bool is_poor)>;
const std::map<std::string, Call> calls{
    {"duplicate", [](World& world, bool) { (void)world.duplicate(); }},
    {"split", [](World& world, bool) { (void)world.split(world.rank() % 2, world.rank()); }},
    {"create", [](World& world, bool) { (void)armature::Team::create(all_ranks(world)); }},
    {"allocate",
     [](World& world, bool) {
       auto piece = world.allocate<char>(1 << 16);
       world.free(piece);
     }},
    {"mutexes",
     [](World& world, bool) {
       auto mutexes = world.create_mutexes(100);
       world.destroy_mutexes(mutexes);
     }},
    {"vector", [](World& world,
                  bool) { (void)armature::distributed_vector<int>(world, std::size_t{1} << 20); }},
    {"shared", [](World& world, bool is_poor) { (void)armature::shared<Picky>(world, is_poor); }}};

/// The members' errors, which are one: nothing when the call was done.
std::optional<Errc> outcome(World& world, const Call& call, bool is_poor) {
  int code = -1;
  try {
    call(world, is_poor);
  } catch (const armature::Error& error) {
    code = static_cast<int>(error.code());
  }
  for (const int other : allgather(world, code)) require(other == code, "members disagree");
  return code < 0 ? std::nullopt : std::optional(static_cast<Errc>(code));
}

/// How many teams the members have memory for. All have let go of them then.
std::size_t teams_that_fit(const World& world) {
  std::vector<armature::Team> teams;
  try {
    for (;;) teams.push_back(world.duplicate());
  } catch (const armature::Error& error) {
    require(error.code() == Errc::out_of_memory, "an error that is none of memory");
  }
  const std::size_t fit = teams.size();
  teams.clear();
  world.barrier();
  return fit;
}

}  // namespace

int main(int argc, char** argv) {
  const Call call = calls.at(argv[1]);
  const int poor = std::atoi(argv[2]);
  return armature::run(argc, argv, [&](World& world) {
    const armature::Rank me(world.rank());
    const armature::Team alone = armature::Team::create(std::span(&me, 1));
    // Mailboxes stay.
    require(!outcome(world, call, false), "the call failed with memory");
    (void)armature::Team::create(all_ranks(world));
    const std::size_t fit = teams_that_fit(world);
    const bool is_poor = world.rank() == poor;
    for (int turn = 0; turn < 3; ++turn) {
      std::optional<Hoard> hoard;
      if (is_poor) hoard.emplace(alone);
      world.barrier();
      require(outcome(world, call, is_poor) == Errc::out_of_memory, "memory was not refused");
      world.barrier();
    }
    world.barrier();
    require(teams_that_fit(world) == fit, "memory was left over");
    require(!outcome(world, call, false), "the call fails for ever");
  });
}
