// Long collectives of private data, of which the kernel lets a rank read nothing any more: all go
// by windows.
//   team_unreadable POOR     the kernel forbids it to rank POOR
#include <sys/syscall.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include <armature/armature.hpp>

#include "../harness/forbidden_call.hpp"

namespace {

using armature::World;
using Words = std::vector<std::int64_t>;

void require(bool holds, const char* what) {
  if (!holds) armature::abort(3, what);
}

constexpr std::size_t block = 20'000;

/// Each call once, with values that are new.
void call_all(World& world, std::int64_t salt) {
  const auto n = static_cast<std::size_t>(world.size());
  const Words mine(block * n, world.rank() + salt);
  Words all(block * n), one(block);
  const auto is_from_each = [&] {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i] != static_cast<std::int64_t>(i / block) + salt) return false;
    return true;
  };
  alltoall(world, std::span(mine), std::span(all));
  require(is_from_each(), "alltoall");
  // Blocks arrive where others read: at one member.
  all = mine;
  Words apart(block * n);
  std::span<std::int64_t> to = world.rank() == 0 ? std::span(all) : std::span(apart);
  alltoall(world, std::span<const std::int64_t>(all), to);
  if (world.rank() != 0) all = apart;
  require(is_from_each(), "alltoall in place at one");
  allgather(world, std::span(mine).first(block), std::span(all));
  require(is_from_each(), "allgather");
  Words sum = mine;
  allreduce(world, std::span(sum));
  const auto ranks = static_cast<std::int64_t>(n);
  require(sum == Words(block * n, ranks * (ranks - 1) / 2 + ranks * salt), "allreduce");
  for (int root = 0; root < world.size(); ++root) {
    all.assign(all.size(), 0);
    gather(world, std::span(mine).first(block), std::span(all), root);
    require(world.rank() != root || is_from_each(), "gather");
    scatter(world, std::span(mine), std::span(one), root);
    require(one == Words(block, root + salt), "scatter");
    all = mine;
    broadcast(world, std::span(all), root);
    require(all == Words(block * n, root + salt), "broadcast");
  }
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [&](World& world) {
    // Each way is tried some times at first.
    for (int turn = 0; turn < 10; ++turn) call_all(world, turn);
    if (world.rank() == std::atoi(argv[1]))
      require(armature::harness::forbid_system_call(SYS_process_vm_readv), "seccomp");
    for (int turn = 10; turn < 20; ++turn) call_all(world, turn);
  });
}
