#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "armature/rank.hpp"
#include "base/valgrind.hpp"
#include "space/address_space.hpp"
#include "space/team_block.hpp"
#include "team/replicas.hpp"
#include "team/shown.hpp"

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
  /// `makers`: whose deaths end the making of the team, where that is so (making.hpp).
  TeamState(space::AddressSpace& space, space::TeamBlock& block, int me,
            std::span<const std::int32_t> makers = {});
  TeamState(const TeamState&) = delete;
  TeamState& operator=(const TeamState&) = delete;
  ~TeamState();

  [[nodiscard]] int rank() const { return me_; }
  [[nodiscard]] int size() const { return static_cast<int>(members_.size()); }
  [[nodiscard]] std::span<const std::int32_t> members() const { return members_; }
  [[nodiscard]] int member(Rank world_rank) const;
  [[nodiscard]] std::uint32_t id() const { return id_; }
  [[nodiscard]] space::AddressSpace& space() const { return space_; }
  [[nodiscard]] space::TeamBlock& block() const { return *block_; }

  /// What the team's blocks on other nodes are told.
  [[nodiscard]] team::Replica& replica() { return *replica_; }
  [[nodiscard]] const team::Replica& replica() const { return *replica_; }

  /// The next one that the rank is in.
  [[nodiscard]] TeamState* next() const { return next_; }
  /// All members, none of which is in a round, let go of what they share, before some of them go to
  /// other nodes. Until they have met again nothing else may be asked.
  void let_go();
  /// The rank goes to another process of its node.
  void leave_process() {
    if (replica_) replica_->leave_process();
  }
  /// They have met again, in a block that is new. That of all stays where it is.
  void meet_again(space::TeamBlock& block);

  /// What kind of round this is and how long: members whose signatures differ have called different
  /// collectives, or with different counts.
  enum class Kind : std::uint8_t {
    barrier,
    broadcast,
    allgather,
    gather,
    scatter,
    alltoall,
    reduce,
    allreduce,
    slices,  // of a reduction, the second round of each
    scan,
    exclusive_scan,
    agreement,  // a barrier in which members that have failed say so (agree.hpp)
    leaving     // the last barrier of a rank whose body has returned
  };
  /// What the members of a round must agree in.
  struct Agreed {
    Kind kind;
    std::size_t bytes = 0;
    int root = 0;
    team::Shown read = {};  // by whom
  };
  static constexpr std::size_t bytes_max = space::TeamBlock::staging_bytes;

  /// For the time of a collective, before it puts anything in place. A method that runs meanwhile,
  /// on this thread or on another, must not enter rounds of the same team: they would be taken for
  /// those of the collective that waits, and its bytes be overwritten. Throws Error(misuse) there.
  class Collective {
   public:
    Collective(TeamState& team, const char* call);
    Collective(const Collective&) = delete;
    Collective& operator=(const Collective&) = delete;
    ~Collective() { team_.in_collective_.store(false, std::memory_order_release); }

   private:
    TeamState& team_;
  };

  /// Where this member puts its bytes for the round it enters next: at most bytes_max.
  [[nodiscard]] std::byte* outgoing(std::size_t bytes);
  /// The same in that member's staging, which shows nothing itself: whole.
  [[nodiscard]] std::byte* outgoing_at(int member) {
    return block_->staging(static_cast<std::size_t>(member), round_ + 1);
  }
  /// What lies there since the last round.
  [[nodiscard]] const std::byte* incoming_at(int member) const {
    const std::byte* const shown = block_->staging(static_cast<std::size_t>(member), round_);
    base::mark_defined(shown, bytes_max);
    return shown;
  }
  /// Enters the round and returns once it is complete. `shown` is how many bytes outgoing() holds.
  /// Throws Error(bad_argument) on all when they do not agree.
  void round(const Agreed& agreed, std::size_t shown, const char* call);
  /// This member enters no further round, and the others learn of it. For one that knows of a death
  /// and is in no round: of several nodes, where others may not know of it yet.
  void give_up();
  [[nodiscard]] bool has_given_up() const { return gave_up_; }
  /// Of a team whose members are on several nodes, or that has makers; -1: no death does, as far as
  /// known here. Besides, who waits for a dead member's line on this node gives up.
  /// docs/internals/fence.md
  [[nodiscard]] int whose_death_ends_fences() const;
  /// How many rounds this member has entered.
  [[nodiscard]] std::uint64_t rounds() const { return round_; }
  /// That member's bytes of the round that was completed last.
  [[nodiscard]] const std::byte* incoming(int member, std::size_t bytes) const;
  /// Whether it has shown something in that round.
  [[nodiscard]] bool has_shown(int member) const {
    return space::MemberLine::shown(
               block_->line(static_cast<std::size_t>(member), round_).signature) > 0;
  }
  /// The first member that has shown something in that round, and how much; nullopt: nobody has.
  struct Shown {
    int member;
    std::size_t bytes;
  };
  [[nodiscard]] std::optional<Shown> first_to_show() const;

 private:
  void give_up_block();
  void publish(std::uint64_t signature);
  void await_members(const Agreed& agreed, const char* call);
  [[nodiscard]] bool is_in_vain() const { return must_look_for_deaths() && will_not_be_complete(); }
  [[nodiscard]] bool must_look_for_deaths() const;
  [[nodiscard]] bool will_not_be_complete() const;
  [[nodiscard]] bool somebody_has_given_up() const;
  [[nodiscard]] int first_dead() const;
  void require_all_alive(const char* call) const;
  void ring_members() const;
  [[nodiscard]] bool is_known_to_agree() const;
  void compare_signatures(std::uint64_t mine, const char* call) const;
  void note_disagreement(std::uint64_t mine);
  [[nodiscard]] bool is_flat() const;
  [[nodiscard]] std::int32_t rank_of(int member) const {
    return members_[static_cast<std::size_t>(member)];
  }

  space::AddressSpace& space_;
  space::TeamBlock* block_;
  std::optional<team::Replica> replica_;
  const std::uint32_t id_;
  int me_;
  // The world's members are all ranks in their order: neither a copy nor a table for each rank.
  const bool is_world_;
  bool gave_up_ = false;
  std::vector<std::int32_t> makers_;
  std::vector<std::int32_t> own_members_;
  std::span<const std::int32_t> members_;
  std::vector<int> by_rank_;  // members in the order of their ranks, where that is another one
  std::uint64_t round_ = 0;
  team::Shown read_;  // of that round, by whom
  std::atomic<bool> in_collective_ = false;
  TeamState* next_ = nullptr;
};

}  // namespace armature::detail
