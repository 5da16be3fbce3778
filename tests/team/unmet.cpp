// Ranks that have never sent each other anything make a team, and one has no memory for a mailbox:
// it cannot even say so in a message. And a member that frees what is none.
#include <cstdlib>
#include <vector>

#include <armature/armature.hpp>

namespace {

using armature::Errc;

void require(bool holds, const char* what) {
  if (!holds) armature::abort(3, what);
}

void take_all(armature::World& world) {
  for (std::size_t bytes = 32 << 20; bytes >= 64; bytes /= 2) try {
      for (;;) (void)world.allocate_local<char>(bytes);
    } catch (const armature::Error&) {
    }
}

template <class Do>
Errc code_of(Do&& act) {
  try {
    act();
  } catch (const armature::Error& error) {
    return error.code();
  }
  armature::abort(3, "nothing was thrown");
}

}  // namespace

int main(int argc, char** argv) {
  const int poor = std::atoi(argv[1]);
  return armature::run(argc, argv, [&](armature::World& world) {
    std::vector<armature::Rank> ranks, fewer;
    for (int rank = 0; rank < world.size(); ++rank) ranks.emplace_back(rank);
    fewer.assign(ranks.begin(), ranks.end() - 1);
    auto piece = world.allocate<char>(64);
    if (world.rank() == poor) take_all(world);
    // One after the other, so that a rank may refuse the next before others have heard of the last.
    for (int turn = 0; turn < 20; ++turn) {
      require(code_of([&] { (void)armature::Team::create(ranks); }) == Errc::out_of_memory, "all");
      if (world.rank() + 1 < world.size())
        require(code_of([&] { (void)armature::Team::create(fewer); }) == Errc::out_of_memory,
                "all but one");
    }
    armature::Piece<char> none;
    const bool wrong = world.rank() == 1;
    require(code_of([&] { world.free(wrong ? none : piece); }) == Errc::misuse, "free");
  });
}
