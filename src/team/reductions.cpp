// Reductions as rounds of a team: everyone shows its elements. In a small team each combines what
// all show, in a large one the member that releases the others does for all. Or, where that is
// much, each combines a part of it, which is shown in a second round.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "armature/collectives.hpp"
#include "base/fail.hpp"
#include "team/adaptive.hpp"
#include "team/by_messages.hpp"
#include "team/chained_scan.hpp"
#include "team/exposed_allreduce.hpp"
#include "team/guarded_reduction.hpp"
#include "team/pieces.hpp"
#include "team/pipelined_round.hpp"
#include "team/release.hpp"
#include "team/team_state.hpp"

namespace armature {

using detail::in_pieces;
using detail::Reduction;
using detail::require_root;
using detail::TeamState;
using team::GuardedReduction;
using Agreed = detail::TeamState::Agreed;
using Kind = detail::TeamState::Kind;

namespace {

struct Members {
  int first, last, step = 1;
};

/// Some elements, combined one lot after the other.
class Fold {
 public:
  Fold(const Reduction& reduction, std::byte* into, std::size_t count)
      : reduction_(reduction), into_(into), count_(count) {}

  /// All are that one.
  void begin(const void* first) {
    const std::size_t element = reduction_.element_bytes;
    for (std::size_t i = 0; i < count_; ++i) std::memcpy(into_ + i * element, first, element);
    is_empty_ = false;
  }
  void add(const std::byte* from) {
    if (is_empty_)
      std::memcpy(into_, from, count_ * reduction_.element_bytes);
    else
      reduction_.combine(into_, from, count_, reduction_.op);
    is_empty_ = false;
  }
  /// In team order, what these show from byte `at` on.
  void add(const TeamState& team, std::size_t shown, const Members& members, std::size_t at = 0) {
    for (int i = members.first; i <= members.last; i += members.step)
      add(team.lines().incoming(i, shown) + at);
  }
  [[nodiscard]] bool is_empty() const { return is_empty_; }

 private:
  const Reduction& reduction_;
  std::byte* const into_;
  const std::size_t count_;
  bool is_empty_ = true;
};

static_assert(detail::reduced_bytes_max == team::Lines::bytes_max);

/// Elements that one round can show; at least one must fit.
std::size_t elements_per_round(const Reduction& reduction, const char* call) {
  const std::size_t elements = team::Lines::bytes_max / reduction.element_bytes;
  if (elements == 0)
    base::fail(Errc::bad_argument, fmt::format("{}: elements of {} bytes are larger than {}", call,
                                               reduction.element_bytes, team::Lines::bytes_max));
  return elements;
}

std::size_t reduced_bytes(const Reduction& reduction) {
  return reduction.count * reduction.element_bytes;
}

/// Room for what a round can show of the elements.
class Scratch {
 public:
  explicit Scratch(const Reduction& reduction)
      : large_(bytes_at_once(reduction) > sizeof small_
                   ? std::make_unique<std::byte[]>(bytes_at_once(reduction))
                   : nullptr) {}
  std::byte* get() { return large_ ? large_.get() : small_; }

 private:
  static std::size_t bytes_at_once(const Reduction& reduction) {
    return std::min(team::Lines::bytes_max, reduced_bytes(reduction));
  }
  alignas(64) std::byte small_[256];
  const std::unique_ptr<std::byte[]> large_;
};

// From so many members on a second round costs less than to combine what all show.
constexpr int members_of_one_round = 256;

/// So many members are a group then, about the square root of all.
int group_of(const TeamState& team) {
  int group = 16;
  while (group * group < team.size()) group *= 2;
  return group;
}

/// The first of each group combines what its members have shown, and shows that in a second round.
void show_groups(TeamState& team, const GuardedReduction& reduction, std::size_t count,
                 std::byte* scratch) {
  const int group = group_of(team), me = team.rank();
  const std::size_t bytes = count * reduction.element_bytes;
  const bool leads = me % group == 0;
  if (leads) {
    Fold(reduction, scratch, count).add(team, bytes, {me, std::min(me + group, team.size()) - 1});
    std::memcpy(team.lines().outgoing(bytes), scratch, bytes);
  }
  team.round({Kind::slices, reduced_bytes(reduction)}, leads && !reduction.has_failed() ? bytes : 0,
             "scan");
}

/// A round in which everybody shows a piece, and reads what all of them give. In a large team one
/// member of each node combines them for all, as it looks at all lines anyway.
void combine_whole(TeamState& team, const GuardedReduction& reduction, std::byte* data,
                   std::size_t count) {
  struct Piece {
    const GuardedReduction& reduction;
    std::size_t count, bytes;
    void combine(const TeamState& team, std::byte* into) const {
      Fold(reduction, into, count).add(team, bytes, {0, team.size() - 1});
    }
  };
  const Piece piece{reduction, count, count * reduction.element_bytes};
  std::memcpy(team.lines().outgoing(piece.bytes), data, piece.bytes);
  const TeamState::ForAll for_all{[](const void* how, TeamState& of) {
                                    const Piece& whole = *static_cast<const Piece*>(how);
                                    whole.combine(of, team::Release(of.lines()).room(whole.bytes));
                                    whole.reduction.throw_if_failed("allreduce");
                                  },
                                  &piece};
  team.round({Kind::allreduce, reduced_bytes(reduction)}, piece.bytes, "allreduce", &for_all);
  if (const std::byte* const result = team::Release(team.lines()).result(piece.bytes))
    std::memcpy(data, result, piece.bytes);
  else
    piece.combine(team, data);
}

/// An allreduce of many elements: member i combines the i-th slice of each piece that everybody
/// shows. In each round a member shows its next piece and, before that, its slice of the last one.
class SlicedAllreduce {
 public:
  SlicedAllreduce(TeamState& team, GuardedReduction& reduction, std::byte* data)
      : team_(team),
        reduction_(reduction),
        data_(data),
        element_(reduction.element_bytes),
        size_(static_cast<std::size_t>(team.size())),
        piece_(piece_of(reduction, size_)),
        slice_((piece_ + size_ - 1) / size_) {}

  static constexpr std::size_t from_bytes = 4096;
  [[nodiscard]] static bool is_for(const TeamState& team, const Reduction& reduction) {
    const auto size = static_cast<std::size_t>(team.size());
    return reduced_bytes(reduction) >= from_bytes && size > 1 && piece_of(reduction, size) >= size;
  }

  void run(std::byte* scratch) {
    std::size_t last = 0, last_at = 0;  // the piece before, whose slices are in the scratch
    for (std::size_t at = 0; at < reduction_.count || last > 0;) {
      const std::size_t next = std::min(piece_, reduction_.count - at);
      show(at, next, last, scratch);
      note_failures();
      if (last > 0) take_slices(last_at, last, next);
      if (next > 0) combine_slice(next, scratch);
      last = next;
      last_at = at;
      at += next;
    }
  }

 private:
  /// The elements of a piece, beside a slice of which it has room.
  static std::size_t piece_of(const Reduction& reduction, std::size_t members) {
    const std::size_t room = team::Lines::bytes_max / reduction.element_bytes;
    return std::min(reduction.count, room < 2 ? 0 : (room - 1) * members / (members + 1));
  }
  [[nodiscard]] std::size_t shown(std::size_t next) const { return (slice_ + next) * element_; }
  [[nodiscard]] std::size_t begin(std::size_t member, std::size_t piece) const {
    return piece * member / size_;
  }
  [[nodiscard]] std::size_t mine(std::size_t piece) const {
    const auto me = static_cast<std::size_t>(team_.rank());
    return begin(me + 1, piece) - begin(me, piece);
  }

  void show(std::size_t at, std::size_t next, std::size_t last, const std::byte* scratch) {
    std::byte* const room = team_.lines().outgoing(shown(next));
    std::memcpy(room, scratch, mine(last) * element_);
    std::memcpy(room + slice_ * element_, data_ + at * element_, next * element_);
    team_.round({next > 0 ? Kind::allreduce : Kind::slices, reduced_bytes(reduction_)},
                reduction_.has_failed() ? 0 : shown(next), "allreduce");
  }
  /// A member that has no slice shows nothing.
  void note_failures() {
    for (int member = 0; member < team_.size(); ++member)
      if (team_.lines().shown_by(member) == 0) reduction_.note_failure_of_another();
  }
  void take_slices(std::size_t at, std::size_t piece, std::size_t next) {
    for (std::size_t i = 0; i < size_; ++i)
      std::memcpy(data_ + (at + begin(i, piece)) * element_,
                  team_.lines().incoming(static_cast<int>(i), shown(next)),
                  (begin(i + 1, piece) - begin(i, piece)) * element_);
  }
  void combine_slice(std::size_t piece, std::byte* scratch) {
    const std::size_t first = slice_ + begin(static_cast<std::size_t>(team_.rank()), piece);
    Fold(reduction_, scratch, mine(piece))
        .add(team_, shown(piece), {0, team_.size() - 1}, first * element_);
  }

  TeamState& team_;
  GuardedReduction& reduction_;
  std::byte* const data_;
  const std::size_t element_, size_, piece_, slice_;
};

/// Combines a piece of all members before this one, and, unless there is a `first` one before all
/// of them, its own.
void scan_piece(TeamState& team, GuardedReduction& reduction, const void* first, std::byte* data,
                std::size_t count, std::byte* scratch) {
  const std::size_t bytes = count * reduction.element_bytes;
  const int last = first == nullptr ? team.rank() : team.rank() - 1;
  std::memcpy(team.lines().outgoing(bytes), data, bytes);
  team.round({first == nullptr ? Kind::scan : Kind::exclusive_scan, reduced_bytes(reduction)},
             bytes, "scan");
  Fold all(reduction, data, count);
  if (first != nullptr) all.begin(first);
  if (team.size() <= members_of_one_round) return all.add(team, bytes, {0, last});
  const int group = group_of(team), group_begin = team.rank() / group * group;
  Scratch own_scratch(reduction);
  Fold own(reduction, own_scratch.get(), count);
  own.add(team, bytes, {group_begin, last});
  show_groups(team, reduction, count, scratch);
  for (int leader = 0; leader < group_begin; leader += group)
    if (team.lines().shown_by(leader) == 0) reduction.note_failure_of_another();
  all.add(team, bytes, {0, group_begin - 1, group});
  if (!own.is_empty()) all.add(own_scratch.get());
}

/// The root combines what all show; nobody else waits.
void reduce_pipelined(TeamState& team, const Agreed& agreed, const Reduction& reduction,
                      std::byte* data) {
  team::PipelinedRound round(team, agreed, "reduce", agreed.bytes);
  std::memcpy(round.room(team.rank()), data, agreed.bytes);
  round.enter();
  if (team.rank() != agreed.root) return round.notify(agreed.root);
  Fold all(reduction, data, reduction.count);
  for (int member = 0; member < team.size(); ++member) all.add(round.await(member));
}

/// A reduction or scan, of which those of few bytes learn nothing: what they take is less than what
/// there is to choose from.
class Learns {
 public:
  Learns(TeamState& team, const Agreed& agreed, const char* call) {
    if (agreed.bytes >= from_bytes) call_.emplace(team, agreed, call);
  }
  [[nodiscard]] team::Way way() const { return call_ ? call_->way() : team::Way::usual; }

 private:
  static constexpr std::size_t from_bytes = 2048;
  std::optional<team::Adaptive::Call> call_;
};

/// Whether it was made of messages: not where it is short, or a member lacks memory for that, which
/// all learn in the round in which they agree about the call.
template <class Prepare>
bool by_messages(const Team& members, TeamState& team, Agreed agreed, const char* call,
                 team::Way way, Prepare&& prepare) {
  if (!team::goes_by_messages(team, agreed.bytes, way)) return false;
  const std::unique_ptr<team::ByMessages> part = prepare();
  const std::size_t shown = part == nullptr ? 1 : 0;
  if (part == nullptr) *team.lines().outgoing(shown) = std::byte{1};
  agreed.read = {};  // also where the root alone reads what follows
  try {
    team.round(agreed, shown, call);
  } catch (const Error& error) {
    if (error.code() == Errc::rank_lost) team::refuse_by_messages(members, call);
    throw;
  }
  if (team.lines().first_to_show()) return false;
  part->run();
  return true;
}

}  // namespace

void detail::allreduce_bytes(const Team& members, void* data, const Reduction& reduction) {
  TeamState& team = members.checked("allreduce");
  const TeamState::Collective one_at_a_time(team, "allreduce");
  auto* buffer = static_cast<std::byte*>(data);
  if (reduction.count == 0) return team.round({Kind::allreduce}, 0, "allreduce");
  if (reduced_bytes(reduction) < SlicedAllreduce::from_bytes) {
    GuardedReduction guarded(reduction);
    combine_whole(team, guarded, buffer, reduction.count);
    return guarded.throw_if_failed("allreduce");
  }
  const std::size_t piece = elements_per_round(reduction, "allreduce");
  const Agreed agreed{Kind::allreduce, reduced_bytes(reduction)};
  const team::Adaptive::Call adaptive(team, agreed, "allreduce");
  const team::Way way = adaptive.way();
  if (by_messages(members, team, agreed, "allreduce", way,
                  [&] { return team::allreduce_by_messages(members, data, reduction, way); }))
    return;
  GuardedReduction rest(reduction);
  const std::size_t done =
      way == team::Way::rounds ? 0 : team::allreduce_exposed(team, buffer, rest);
  buffer += done * reduction.element_bytes;
  rest.count -= done;
  if (SlicedAllreduce::is_for(team, rest))
    SlicedAllreduce(team, rest, buffer).run(Scratch(rest).get());
  else if (rest.count > 0)
    in_pieces(rest.count, piece, [&](std::size_t at, std::size_t n) {
      combine_whole(team, rest, buffer + at * reduction.element_bytes, n);
    });
  rest.throw_if_failed("allreduce");
}

void detail::reduce_bytes(const Team& members, void* data, const Reduction& reduction, int root) {
  TeamState& team = members.checked("reduce");
  const TeamState::Collective one_at_a_time(team, "reduce");
  require_root(team, root, "reduce");
  auto* buffer = static_cast<std::byte*>(data);
  const std::size_t element = reduction.element_bytes;
  const Agreed agreed{Kind::reduce,
                      reduced_bytes(reduction),
                      root,
                      {.by = team::Shown::By::root, .root = static_cast<std::uint32_t>(root)}};
  const std::size_t piece = elements_per_round(reduction, "reduce");
  const Learns learns(team, agreed, "reduce");
  if (by_messages(members, team, agreed, "reduce", learns.way(),
                  [&] { return team::reduce_by_messages(members, data, reduction, root); }))
    return;
  if (reduction.count == 0) return team.round(agreed, 0, "reduce");
  if (learns.way() == team::Way::usual && team::PipelinedRound::is_for(team, agreed.bytes))
    return reduce_pipelined(team, agreed, reduction, buffer);
  const GuardedReduction guarded(reduction);
  in_pieces(reduction.count, piece, [&](std::size_t at, std::size_t n) {
    std::memcpy(team.lines().outgoing(n * element), buffer + at * element, n * element);
    team.round(agreed, n * element, "reduce");
    if (team.rank() == root)
      Fold(guarded, buffer + at * element, n).add(team, n * element, {0, team.size() - 1});
  });
  guarded.throw_if_failed("reduce");
}

void detail::scan_bytes(const Team& members, void* data, const Reduction& reduction,
                        const void* first) {
  TeamState& team = members.checked("scan");
  const TeamState::Collective one_at_a_time(team, "scan");
  auto* buffer = static_cast<std::byte*>(data);
  // The first value may be an element of the data, which the first piece overwrites.
  Scratch kept({.count = 1, .element_bytes = reduction.element_bytes});
  if (first != nullptr) first = std::memcpy(kept.get(), first, reduction.element_bytes);
  const std::size_t piece = elements_per_round(reduction, "scan");
  const Agreed agreed{first == nullptr ? Kind::scan : Kind::exclusive_scan,
                      reduced_bytes(reduction)};
  const Learns learns(team, agreed, "scan");
  if (by_messages(members, team, agreed, "scan", learns.way(),
                  [&] { return team::scan_by_messages(members, data, reduction, first); }))
    return;
  if (reduction.count == 0) return team.round(agreed, 0, "scan");
  GuardedReduction guarded(reduction);
  if (learns.way() == team::Way::usual && team::ChainedScan::is_for(team, reduction)) {
    team::ChainedScan(team, agreed, guarded, first).run(buffer);
  } else {
    Scratch scratch(reduction);
    in_pieces(reduction.count, piece, [&](std::size_t at, std::size_t n) {
      scan_piece(team, guarded, first, buffer + at * reduction.element_bytes, n, scratch.get());
    });
  }
  guarded.throw_if_failed("scan");
}

}  // namespace armature
