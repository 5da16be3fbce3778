#include "image.hpp"

#include <atomic>
#include <chrono>
#include <string>

#include <armature/collectives.hpp>
#include <armature/layer/symmetric.hpp>
#include <armature/rank_local.hpp>
#include <armature/run.hpp>
#include <armature/virtual.hpp>

#include "calls.hpp"
#include "hosting.hpp"

namespace caf {
namespace {

constexpr std::size_t initial_block_bytes = std::size_t{4} << 20;

struct ImageOfRank {
  Image* value = nullptr;

  ImageOfRank() = default;
  ImageOfRank(const ImageOfRank& /*first*/) {}
  ImageOfRank& operator=(const ImageOfRank&) = delete;
  ~ImageOfRank() { delete value; }
};

armature::rank_local<ImageOfRank> of_rank;
/// The image of a process that is one rank.
std::atomic<Image*> of_process = nullptr;

Image& joined() {
  if (!is_image())
    refuse("no image calls: this process hosts virtual ranks, and the program itself is none");
  Image*& mine = of_rank->value;
  if (mine == nullptr) {
    mine = new Image();
    if (armature::rank_kind() == armature::RankKind::process) of_process = mine;
  }
  return *mine;
}

}  // namespace

Image::Image()
    : rank(armature::world().rank()),
      stride(armature::layer::segment_stride()),
      initial(armature::world(), -1, nullptr, initial_block_bytes) {
  const auto size = static_cast<std::size_t>(initial.size());
  open_departures(initial);
  calls_to.resize(size);
  calls_expected.resize(size);
  calls_from = static_cast<std::uint32_t*>(
      initial.heap.allocate(initial.team, size * sizeof(std::uint32_t)));
  job_seed = armature::broadcast(
      initial.team,
      static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()), 0);
}

Image& image() {
  Image* const mine = of_process.load(std::memory_order_acquire);
  return mine != nullptr ? *mine : joined();
}

void enter_team(Image& me, TeamOfImages& team) {
  me.current = &team;
  me.images = team.size();
  me.ranks = team.ranks.empty() ? nullptr : team.ranks.data();
}

armature::Rank rank_of_image(const Image& me, int image_number) {
  const int images = me.current->size();
  if (image_number < 1 || image_number > images)
    refuse("image " + std::to_string(image_number) + " is none of the " + std::to_string(images) +
           (images == 1 ? " image" : " images") +
           (me.current->parent == nullptr ? "" : " of the current team"));
  return me.current->rank_of(image_number);
}

void open_departures(TeamOfImages& team) {
  const auto size = static_cast<std::size_t>(team.size());
  // The block is new, and zero.
  auto* const memory =
      static_cast<std::byte*>(team.heap.allocate(team.team, 64 + size * sizeof(Departure)));
  team.is_anyone_gone = reinterpret_cast<std::uint32_t*>(memory);
  team.allocations = reinterpret_cast<Allocations*>(memory + 16);
  team.departures = reinterpret_cast<Departure*>(memory + 64);
}

}  // namespace caf
