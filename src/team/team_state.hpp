#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "armature/rank.hpp"
#include "space/address_space.hpp"
#include "space/team_block.hpp"
#include "team/death_watch.hpp"
#include "team/lines.hpp"
#include "team/members.hpp"
#include "team/proxy.hpp"
#include "team/shown.hpp"
#include "team/signature.hpp"
#include "wait/wait_for.hpp"

namespace armature::team {
class Adaptive;
}

namespace armature::detail {

/// One member's view of a team, and the one thing all collectives are made of: the round. In a
/// round every member shows some bytes to all others; it is complete when all have entered it.
///
/// Invariants: members enter rounds in the same order; a member enters round r + 1 only after round
/// r was complete and it has done reading round r's bytes. So the bytes of round r (line and
/// staging of parity r % 2) stay untouched until all members have entered round r + 1. A member
/// that gives a round up, because somebody has died who has not entered it, enters none any more.
class TeamState {
 public:
  using Kind = team::RoundKind;
  using Agreed = team::Agreed;

  /// `makers`: whose deaths end the making of the team, where that is so (making.hpp).
  TeamState(space::AddressSpace& space, space::TeamBlock& block, int me,
            std::span<const std::int32_t> makers = {});
  TeamState(const TeamState&) = delete;
  TeamState& operator=(const TeamState&) = delete;
  ~TeamState();

  [[nodiscard]] int rank() const { return me_; }
  [[nodiscard]] int size() const { return members_.size(); }
  [[nodiscard]] std::span<const std::int32_t> members() const { return members_.ranks(); }
  [[nodiscard]] int member(Rank world_rank) const { return members_.number_of(world_rank); }
  [[nodiscard]] std::uint32_t id() const { return id_; }
  [[nodiscard]] space::AddressSpace& space() const { return space_; }
  [[nodiscard]] space::TeamBlock& block() const { return *lines_.block(); }

  /// The proxy, which sends news to the team's blocks on other nodes.
  [[nodiscard]] team::Proxy& proxy() { return *proxy_; }
  [[nodiscard]] const team::Proxy& proxy() const { return *proxy_; }

  /// The next team that the rank is in.
  [[nodiscard]] TeamState* next() const { return next_; }
  /// All members, none of which is in a round, let go of what they share, before some of them go to
  /// other nodes. Until they have met again nothing else may be asked.
  void let_go();
  /// The rank goes to another process of its node.
  void leave_process() {
    if (proxy_) proxy_->leave_process();
  }
  /// All members have met again, in a block that is new. The block of the team of all stays where
  /// it is.
  void meet_again(space::TeamBlock& block);

  /// For the time of a collective, before it puts anything in place. A method that runs meanwhile,
  /// on this thread or on another, must not enter rounds of the same team: they would be taken for
  /// those of the collective that waits, and its bytes be overwritten. Throws Error(misuse) there.
  class Collective {
   public:
    Collective(TeamState& team, const char* call);
    Collective(const Collective&) = delete;
    Collective& operator=(const Collective&) = delete;
    ~Collective() { team_.in_collective_.store(InCollective::nobody, std::memory_order_release); }

   private:
    TeamState& team_;
  };

  /// The lines of the team: what this member shows in the round that it enters next, and what all
  /// have shown in the last one.
  [[nodiscard]] team::Lines& lines() { return lines_; }
  [[nodiscard]] const team::Lines& lines() const { return lines_; }
  /// Combines what all have shown in a round of a large team, into the room of its Release, for all
  /// that read it.
  struct ForAll {
    void (*combine)(const void* how, TeamState& team);
    const void* how;
  };
  /// Enters the round and returns once it is complete. `shown` is how many bytes lines().outgoing()
  /// holds. Throws Error(bad_argument) on all when they do not agree. `for_all`: called by the
  /// member that releases the others, if there is one.
  void round(const Agreed& agreed, std::size_t shown, const char* call,
             const ForAll* for_all = nullptr);
  /// This member enters no further round, and the others learn of it. For one that knows of a death
  /// and is in no round: of several nodes, where others may not know of it yet. Who is a round
  /// behind may still read what this member has shown in it.
  void give_up();
  [[nodiscard]] bool has_given_up() const { return gave_up_; }
  /// Tells whose deaths end a round, or a fence.
  [[nodiscard]] const team::DeathWatch& deaths() const { return deaths_; }

  /// Its memory of long reductions; made when it is first needed (adaptive.hpp).
  std::shared_ptr<team::Adaptive> adaptive;

 private:
  void give_up_block();
  void await_members(const Agreed& agreed, const char* call, const ForAll* for_all);
  void await_all(wait::WaitFor& wait, const Agreed& agreed);
  void await_each(wait::WaitFor& wait);
  void await_release(wait::WaitFor& wait);
  void release(const ForAll* for_all);
  void notify_members() const;
  void compare_signatures(std::uint64_t mine, const char* call);

  space::AddressSpace& space_;
  const std::uint32_t id_;
  const int me_;
  const team::Members members_;
  team::Lines lines_;
  team::DeathWatch deaths_;
  std::optional<team::Proxy> proxy_;
  bool gave_up_ = false;
  team::Shown read_;  // of the round that was entered last, by whom
  enum class InCollective : std::uint8_t { nobody, rank, other_thread };  // of the program
  std::atomic<InCollective> in_collective_ = InCollective::nobody;
  std::uint64_t breakdown_ = 0;  // of the block that it has let go of
  TeamState* next_ = nullptr;
};

}  // namespace armature::detail
