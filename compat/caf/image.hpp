#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <vector>

#include <armature/rank.hpp>
#include <armature/team.hpp>

#include "heap.hpp"

// State of an image. It lies in the rank's own memory, so a virtual rank that moves takes it along.

namespace caf {

/// How members of a team are gone, each by its own number in the team: the number of the team's
/// synchronization from which on it is. 0: it is there. Symmetric, written by the member that goes.
struct Departure {
  std::uint32_t stopped;
  std::uint32_t failed;
  std::uint32_t left;  // by `end team`
};

struct Coarray;

/// Allocations of an image until now, which are the same at all images of the team: the bytes of
/// the last coarray, and a sum over all.
struct Allocations {
  std::uint64_t bytes;
  std::uint64_t sum;
};

/// A team, as one image sees it. A variable of team_type is a pointer to it.
struct TeamOfImages {
  TeamOfImages(armature::Team its, int its_number, TeamOfImages* its_parent,
               std::size_t block_bytes)
      : team(std::move(its)), number(its_number), parent(its_parent), heap(block_bytes) {}

  /// A member of the parent team has chosen these when it was formed.
  struct Choice {
    int number;
    int index;  // of the image in the new team; 0: any
  };

  armature::Team team;
  int number;  // -1: the initial team
  TeamOfImages* parent;
  Heap heap;
  std::vector<armature::Rank> ranks;  // of its images; empty for the initial team
  std::uint32_t synchronizations = 0;
  std::uint32_t* is_anyone_gone = nullptr;  // symmetric
  Departure* departures = nullptr;          // symmetric, one for each member
  Allocations* allocations =
      nullptr;  // symmetric: of this statement and of the one before, in turns
  Allocations allocated_so_far{};
  std::uint32_t statements = 0;     // that have allocated
  std::vector<Coarray*> allocated;  // in it, and not static
  std::vector<Choice> choices;      // of the parent's members; empty for the initial team

  [[nodiscard]] int size() const { return team.size(); }
  [[nodiscard]] armature::Rank rank_of(int image) const {
    return ranks.empty() ? armature::Rank(image - 1) : ranks[static_cast<std::size_t>(image) - 1];
  }
  [[nodiscard]] int image_of(armature::Rank rank) const { return team.member(rank) + 1; }
};

/// A place in the queue of a lock (locks.cpp). It lies where other images reach it.
struct LockPlace {
  std::uint64_t next;
  std::uint64_t is_granted;
};

struct Image {
  Image();
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;
  ~Image() = default;

  armature::Rank rank;
  std::ptrdiff_t stride;  // from one rank's segment to the next one's
  TeamOfImages initial;
  TeamOfImages* current = &initial;
  // The current team, for references to coarrays.
  int images = initial.size();
  const armature::Rank* ranks = nullptr;  // nullptr: an image's rank is its number less 1
  std::list<TeamOfImages> teams;          // that `form team` has made
  bool is_gone = false;                   // it has stopped or failed

  // `sync images`: how often this image has called each rank, and each rank this one.
  std::vector<std::uint32_t> calls_to;
  std::vector<std::uint32_t> calls_expected;
  std::uint32_t* calls_from = nullptr;  // symmetric

  std::vector<Coarray*> without_bounds;  // allocated by a statement that has not ended

  std::map<std::uint64_t, LockPlace*> locks;  // that it holds
  std::vector<LockPlace*> lock_places;        // that are free

  std::uint64_t job_seed = 0;  // the same at all images
  std::uint64_t seeds = 0;     // calls of random_init
};

/// The calling image. Joins the job when it is first called, which is in a constructor of a program
/// with static coarrays. Throws Error(misuse) where the process is to host virtual ranks and none
/// of them calls.
Image& image();
/// The address of `mine` at another rank. Symmetric memory lies at one distance from the begin of
/// all segments.
template <class T>
[[nodiscard]] T* at_rank(const Image& me, T* mine, armature::Rank rank) {
  return reinterpret_cast<T*>(reinterpret_cast<std::intptr_t>(mine) +
                              (std::ptrdiff_t{rank} - std::ptrdiff_t{me.rank}) * me.stride);
}

void enter_team(Image& me, TeamOfImages& team);

/// Throws Refusal for an image that the current team has not.
[[nodiscard]] armature::Rank rank_of_image(const Image& me, int image_number);
/// An image that the compiler leaves out is 0: the calling one.
[[nodiscard]] inline armature::Rank rank_or_mine(const Image& me, int image_number) {
  return image_number == 0 ? me.rank : rank_of_image(me, image_number);
}

/// Has the team's images tell each other who is gone. Collective.
void open_departures(TeamOfImages& team);

}  // namespace caf
