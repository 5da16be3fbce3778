// Long collectives need no memory: where a member has none for a window, all use rounds.
//   team_no_window POOR      rank POOR has none
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include <armature/armature.hpp>

namespace {

using armature::World;
using Words = std::vector<std::int64_t>;

void require(bool holds, const char* what) {
  if (!holds) armature::abort(3, what);
}

/// Takes all memory of the rank's segment.
void hoard(const armature::Team& alone) {
  for (std::size_t bytes = 32 << 20; bytes >= 64; bytes /= 2) try {
      for (;;) (void)alone.allocate<char>(bytes);
    } catch (const armature::Error& error) {
      require(error.code() == armature::Errc::out_of_memory, "an error that is none of memory");
    }
}

int body(World& world, int poor) {
  const auto n = static_cast<std::size_t>(world.size());
  constexpr std::size_t block = 20'000;
  const armature::Team alone = world.split(world.rank(), 0);
  if (world.rank() == poor) hoard(alone);
  world.barrier();

  const Words mine(block * n, world.rank() + 1);
  Words all(block * n), one(block);
  alltoall(world, std::span(mine), std::span(all));
  for (std::size_t i = 0; i < all.size(); ++i)
    require(all[i] == static_cast<std::int64_t>(i / block) + 1, "alltoall");
  std::ranges::fill(all, 0);
  allgather(world, std::span(mine).first(block), std::span(all));
  for (std::size_t i = 0; i < all.size(); ++i)
    require(all[i] == static_cast<std::int64_t>(i / block) + 1, "allgather");
  for (int root = 0; root < world.size(); ++root) {
    std::ranges::fill(all, 0);
    gather(world, std::span(mine).first(block), std::span(all), root);
    require(world.rank() != root || all.back() == world.size(), "gather");
    scatter(world, std::span(mine), std::span(one), root);
    require(one == Words(block, root + 1), "scatter");
    all = mine;
    broadcast(world, std::span(all), root);
    require(all == Words(block * n, root + 1), "broadcast");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const int poor = argc > 1 ? std::atoi(argv[1]) : 0;
  return armature::run(argc, argv, [poor](World& world) { return body(world, poor); });
}
