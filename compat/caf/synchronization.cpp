#include "synchronization.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <armature/fence.hpp>
#include <armature/layer/wait.hpp>
#include <armature/put.hpp>

#include "calls.hpp"
#include "coarray.hpp"
#include "departure.hpp"

// sync all, sync memory, sync images. For `sync images` each image has a word for each other one,
// into which that one writes how often it has named this image. So many times this image waits for
// it.

namespace caf {
namespace {

std::uint32_t seen(const std::uint32_t& word) { return __atomic_load_n(&word, __ATOMIC_ACQUIRE); }

/// Whether `a` calls are as many as `b`, in a word that may have run over.
bool has_reached(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b) >= 0; }

void call(Image& me, armature::Rank rank) {
  const auto place = static_cast<std::size_t>(rank);
  ++me.calls_expected[place];
  const std::uint32_t calls = ++me.calls_to[place];
  std::uint32_t* const mine = me.calls_from + static_cast<std::size_t>(me.rank);
  armature::put(armature::global_ptr<std::uint32_t>(rank, at_rank(me, mine, rank)), calls);
  armature::layer::wake(rank);
}

void await(Image& me, int image_number, armature::Rank rank) {
  const auto place = static_cast<std::size_t>(rank);
  const std::uint32_t expected = me.calls_expected[place];
  const auto has_come = [&] { return has_reached(seen(me.calls_from[place]), expected); };
  const TeamOfImages& all = me.initial;
  // An image that goes writes that behind its last call.
  const auto is_gone = [&] { return status_of(all, rank + 1) != 0; };
  armature::layer::wait_until(
      {.call = "sync images", .until = "image comes", .on = rank, .is_told = true},
      [&] { return has_come() || is_gone(); });
  if (has_come()) return;
  const int status = status_of(all, rank + 1);
  refuse("image " + std::to_string(image_number) +
             (status == stat::failed_image ? " has failed" : " has stopped"),
         status);
}

/// An image that is named twice would be awaited twice (Fortran 2018, 11.6.4).
void require_different(std::span<const int> images) {
  std::vector<int> sorted(images.begin(), images.end());
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) refuse("image " + std::to_string(*twice) + " is named twice");
}

}  // namespace

void synchronize_all(Image& me) {
  if (me.without_bounds.empty()) return synchronize(*me.current);
  keep_bounds(me);
  tell_allocations(*me.current);
  synchronize(*me.current);
  compare_allocations(me, *me.current);
}

void synchronize_memory() {
  (void)image();
  armature::fence_all();
}

void synchronize_with(Image& me, int count, const int* images) {
  const bool is_all = count < 0;
  const int named = is_all ? me.current->size() : count;
  const auto image_at = [=](int i) { return is_all ? i + 1 : images[i]; };
  for (int i = 0; i < named; ++i) (void)rank_of_image(me, image_at(i));
  if (!is_all) require_different({images, static_cast<std::size_t>(named)});
  armature::fence_all();
  for (int i = 0; i < named; ++i) call(me, rank_of_image(me, image_at(i)));
  for (int i = 0; i < named; ++i) await(me, image_at(i), rank_of_image(me, image_at(i)));
}

}  // namespace caf
