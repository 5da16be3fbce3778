// Reductions that block, between nodes (team/by_messages.hpp).
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include "armature/error.hpp"
#include "collective/call.hpp"
#include "team/by_messages.hpp"
#include "team/show_breakdown.hpp"
#include "team/team_state.hpp"
#include "wait/cost_model.hpp"

namespace armature::team {

using collective::Call;
using collective::Elements;
using collective::Operator;

namespace {

/// The operator stays the caller's.
Operator lent(const detail::Reduction& reduction) {
  return {reduction.element_bytes, reduction.combine, {reduction.op, [](void* /*lent*/) {}}};
}

class Prepared final : public ByMessages {
 public:
  Prepared(const Team& team, const char* name) : team_(team), call_(team, name) {}

  [[nodiscard]] Call& call() { return call_; }
  void take_memory(collective::Buffers buffers, const detail::Reduction& reduction) {
    operation_ = call_.prepare(std::move(buffers), lent(reduction));
  }

  /// A member that has not got what it needs enters no further round: the others do not wait for
  /// it.
  void run() override {
    try {
      call_.run(std::move(operation_));
    } catch (const Error& error) {
      if (error.code() == Errc::rank_lost) team_.state()->give_up();
      throw;
    }
  }

 private:
  const Team& team_;
  Call call_;
  std::unique_ptr<collective::Operation> operation_;
};

/// `plan` makes the schedule. A team that has broken down has no collectives of messages any more.
template <class Plan>
std::unique_ptr<ByMessages> prepare(const Team& team, const char* name, void* data,
                                    const detail::Reduction& reduction, Plan&& plan,
                                    const void* first = nullptr) {
  if (breakdown_of(*team.state())) return nullptr;
  try {
    collective::Buffers buffers{data, data};
    if (first != nullptr) {
      const auto* const bytes = static_cast<const std::byte*>(first);
      buffers.first.assign(bytes, bytes + reduction.element_bytes);
    }
    auto part = std::make_unique<Prepared>(team, name);
    plan(part->call(), Elements{reduction.count, reduction.element_bytes});
    part->take_memory(std::move(buffers), reduction);
    return part;
  } catch (const Error& error) {
    if (error.code() != Errc::out_of_memory) throw;
  } catch (const std::bad_alloc&) {
    // as above
  }
  return nullptr;
}

}  // namespace

bool goes_by_messages(const detail::TeamState& team, std::size_t bytes, Way way) {
  // Shorter ones are sooner over by rounds, though more travels. Between two members no more does.
  constexpr std::size_t by_messages_min = 64 * 1024, of_two_min = 256 * 1024;
  // Rounds combine from the first member to the last.
  if (team.space().header().settings.reproducible != 0) return false;
  if (way != Way::usual) return way != Way::rounds && bytes > 0 && team.size() > 1;
  const bool is_far = team.proxy().is_far() || wait::CostModel::of_job() != nullptr;
  return is_far && bytes >= (team.size() > 2 ? by_messages_min : of_two_min);
}

void refuse_by_messages(const Team& team, const char* call) {
  collective::this_engine(call).refuse(team, Errc::rank_lost);
}

std::unique_ptr<ByMessages> allreduce_by_messages(const Team& team, void* data,
                                                  const detail::Reduction& reduction, Way way) {
  return prepare(team, "allreduce", data, reduction, [way](Call& call, Elements elements) {
    if (way == Way::doubling)
      return allreduce_by_doubling(call.schedule(), call.members(), collective::output, elements);
    allreduce_by_halving(call.schedule(), call.members(), elements);
  });
}

std::unique_ptr<ByMessages> reduce_by_messages(const Team& team, void* data,
                                               const detail::Reduction& reduction, int root) {
  return prepare(team, "reduce", data, reduction, [root](Call& call, Elements elements) {
    reduce_by_tree(call.schedule(), call.members(), root, elements);
  });
}

std::unique_ptr<ByMessages> scan_by_messages(const Team& team, void* data,
                                             const detail::Reduction& reduction,
                                             const void* first) {
  using collective::Prefix;
  return prepare(
      team, first == nullptr ? "scan" : "exclusive_scan", data, reduction,
      [first](Call& call, Elements elements) {
        scan(call.schedule(), call.members(),
             first == nullptr ? Prefix::inclusive : Prefix::exclusive, elements);
      },
      first);
}

}  // namespace armature::team
