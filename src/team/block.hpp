#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "armature/rank.hpp"
#include "space/address_space.hpp"
#include "space/team_block.hpp"
#include "team/agree.hpp"
#include "team/making.hpp"
#include "team/team_state.hpp"
#include "team/teams_of_rank.hpp"
#include "wait/rank_context.hpp"

// The block of a team that is being made: on each node where the team has members the first of them
// makes one for all. Who is told of it how is another matter: by messages where members alone make
// a team (create.cpp), in rounds of the team that is split (split.cpp).

namespace armature::team {

/// The first of them on that rank's node.
[[nodiscard]] Rank leader_of(std::span<const Rank> members, Rank rank,
                             const space::Mapping& mapping);

/// A team's number, unique in the job and never 0, which is the world's: given by its first member.
/// One that comes to nothing is given back.
class NewId {
 public:
  explicit NewId(wait::RankContext& me) : me_(me), number_(++teams_of(me).made) {}
  NewId(const NewId&) = delete;
  NewId& operator=(const NewId&) = delete;
  ~NewId() {
    // Unless a method has made a team meanwhile.
    if (std::uint64_t& made = teams_of(me_).made; !is_used_ && made == number_) --made;
  }
  /// Beyond 32 bits where the rank has given all it can.
  [[nodiscard]] std::uint64_t value() const;
  void use() { is_used_ = true; }

 private:
  wait::RankContext& me_;
  const std::uint64_t number_;
  bool is_used_ = false;
};

/// This node's block of a team, made by its first member here; freed again unless the members come
/// to share it.
class OwnBlock {
 public:
  explicit OwnBlock(wait::RankContext& me) : me_(me) {}
  OwnBlock(const OwnBlock&) = delete;
  OwnBlock& operator=(const OwnBlock&) = delete;
  ~OwnBlock();

  /// Nothing, or why it cannot be made.
  [[nodiscard]] std::optional<Objection> make(std::span<const Rank> members, std::uint64_t id);
  [[nodiscard]] space::TeamBlock* get() const { return block_; }
  /// Others may know of it from now on.
  space::TeamBlock& share();

 private:
  wait::RankContext& me_;
  space::TeamBlock* block_ = nullptr;
  bool is_shared_ = false;
};

/// The last step: who has the team knows that all others had come to it.
[[nodiscard]] std::shared_ptr<detail::TeamState> meet(std::span<const Rank> members,
                                                      wait::RankContext& me,
                                                      space::TeamBlock& block,
                                                      const Making& making);

/// Does a part of the making; whoever loses one of those who take part gives it up.
template <class Do>
auto do_part(Making& making, Do&& part) {
  try {
    return part();
  } catch (const Error& error) {
    if (error.code() == Errc::rank_lost) making.give_up();
    throw;
  }
}

}  // namespace armature::team
