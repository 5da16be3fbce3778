#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "armature/future.hpp"
#include "armature/team.hpp"
#include "rmi/endpoint_context.hpp"
#include "rmi/inbox.hpp"
#include "rmi/outbox.hpp"
#include "rmi/termination.hpp"
#include "space/address_space.hpp"
#include "space/team_block.hpp"

namespace armature::rmi {

/// The fences that this rank has entered, of all its teams; see docs/internals/fence.md. Those of
/// one team follow each other.
class Fences {
 public:
  Fences(EndpointContext& context, const Outbox& outbox, Inbox& inbox, Team everyone)
      : context_(context),
        space_(context.space),
        outbox_(outbox),
        inbox_(inbox),
        everyone_(std::move(everyone)) {}
  Fences(const Fences&) = delete;
  Fences& operator=(const Fences&) = delete;
  ~Fences() = default;

  /// Blocks until the fence is over.
  void wait(const Team& team, const char* call);
  /// Blocks until the fence of all ranks is over.
  void wait(const char* call) { wait(everyone_, call); }
  /// Enters; the future is settled when it is over.
  [[nodiscard]] future<void> enter(const Team& team);
  /// Looks how far the others are. Never blocks.
  void advance() {
    if (!active_.empty()) advance_all();
  }
  [[nodiscard]] bool are_under_way() const { return !active_.empty(); }
  /// Teams other than that of all start again, too: none has a fence under way.
  void forget_teams();
  /// Whether advance() would get further.
  [[nodiscard]] bool can_advance() const;

  struct OfTeam {
    Team team;
    space::TeamBlock* block = nullptr;
    int me = -1;
    Termination termination;
    // Member 0 of a large team adds up the lines, and all decide by its sums.
    bool by_sums = false;
    Tally gathered;
    int gathered_from = 0;      // so many members, in this wave
    std::uint64_t entered = 0;  // fences, so far
    std::uint64_t over = 0;
    // Executed by this rank from anybody, when it showed its tally, by line. Those up to the wave
    // before the last belong to a fence; what was executed since came from ranks that had left it.
    std::array<std::uint64_t, Termination::lines> executed{};
    /// The rank whose line is looked for, while one is under way. Between nodes the rank whose
    /// death ends the fence, if any does: it need not be the one whose line is missing (fence.md).
    [[nodiscard]] int awaited() const;
    // Futures of the fences from the first that is not over on; null where it is waited for.
    std::deque<std::shared_ptr<detail::FutureState<void>>> futures;
  };

 private:
  OfTeam& enter_one(const Team& team, std::shared_ptr<detail::FutureState<void>> future,
                    const char* call);
  void begin(OfTeam& fence);
  [[nodiscard]] static std::optional<Tally> look(const OfTeam& fence, int member,
                                                 std::uint64_t wave);
  [[nodiscard]] static bool can_advance(const OfTeam& fence);
  void gather(OfTeam& fence);
  [[nodiscard]] static bool tells(const OfTeam& fence);
  void show(OfTeam& fence);
  void advance_one(OfTeam& fence);
  void advance_all();

  EndpointContext& context_;
  const space::AddressSpace& space_;
  const Outbox& outbox_;  // these two count the calls that a fence waits for
  Inbox& inbox_;
  const Team everyone_;
  std::map<std::uint32_t, std::unique_ptr<OfTeam>> teams_;  // by id
  std::vector<OfTeam*> active_;
};

}  // namespace armature::rmi
