#include "active_sets.hpp"

#include <utility>
#include <vector>

#include <armature/get.hpp>
#include <armature/layer/checks.hpp>
#include <armature/layer/symmetric.hpp>
#include <armature/run.hpp>
#include <armature/world.hpp>

#include "calls.hpp"

namespace shmem {
namespace {

/// The set in whose collective a PE is, in one word, which others read as it changes: 0 is none.
struct Told {
  ActiveSet set;
  std::uint32_t number;  // of the collective in the set, in its last bits

  static constexpr int pe_bits = 20, stride_bits = 5, number_bits = 18;

  [[nodiscard]] std::uint64_t word() const {
    const auto start = static_cast<std::uint64_t>(set.start);
    const auto log_stride = static_cast<std::uint64_t>(set.log_stride);
    const auto size = static_cast<std::uint64_t>(set.size);
    return ((((start << stride_bits | log_stride) << pe_bits | size) << number_bits |
             (number & number_mask))
            << 1) |
           1;
  }
  [[nodiscard]] static Told from(std::uint64_t word) {
    word >>= 1;
    Told told{{}, static_cast<std::uint32_t>(word & number_mask)};
    word >>= number_bits;
    told.set.size = static_cast<int>(word & ((1U << pe_bits) - 1));
    word >>= pe_bits;
    told.set.log_stride = static_cast<int>(word & ((1U << stride_bits) - 1));
    told.set.start = static_cast<int>(word >> stride_bits);
    return told;
  }
  /// Whether a member that has been in so many collectives of the set has yet to come to this one.
  [[nodiscard]] bool awaits(std::uint32_t collectives) const {
    const std::uint32_t ahead = (number - collectives) & number_mask;
    return ahead != 0 && ahead <= number_mask / 2;
  }

  static constexpr std::uint32_t number_mask = (std::uint32_t{1} << number_bits) - 1;
};
static_assert(2 * Told::pe_bits + Told::stride_bits + Told::number_bits + 1 == 64);

void require_sense(const ActiveSet& set, const armature::World& world) {
  const bool is_number =
      set.start >= 0 && set.size >= 1 && set.log_stride >= 0 && set.log_stride <= 30;
  if (!is_number || set.start + (static_cast<long>(set.size - 1) << set.log_stride) >= world.size())
    refuse(set.named() + " goes beyond the job's " + std::to_string(world.size()) + " PEs",
           armature::Errc::bad_rank);
  if (!set.has(world.rank()))
    refuse(set.named() + " does not have the calling PE " + std::to_string(world.rank()),
           armature::Errc::bad_rank);
}

armature::Team team_of_members(const ActiveSet& set) {
  std::vector<armature::Rank> members;
  for (int i = 0; i < set.size; ++i) members.emplace_back(set.pe(i));
  return armature::Team::create(members);
}

}  // namespace

bool ActiveSet::has(int pe) const {
  const int distance = pe - start;
  return distance >= 0 && (distance & ((1 << log_stride) - 1)) == 0 &&
         distance >> log_stride < size;
}

std::string ActiveSet::named() const {
  return "the active set of " + std::to_string(size) + " PEs from " + std::to_string(start) +
         ", 2^" + std::to_string(log_stride) + " apart,";
}

namespace {

/// The words that a PE tells: the collective that it is in, and the last one of each set.
constexpr std::size_t words_max = 64;

/// A PE that waits in a collective: for whom the caller of the last one may wait.
class Circle {
 public:
  explicit Circle(const std::uint64_t* told)
      : told_(told),
        me_(armature::world().rank()),
        stride_(armature::layer::segment_stride()),
        was_seen_(static_cast<std::size_t>(armature::world().size())) {}

  /// Whether those for whom a member of that collective waits wait for the caller in the end.
  [[nodiscard]] bool leads_back(const Told& waits) {
    for (int i = 0; i < waits.set.size; ++i) {
      const int pe = waits.set.pe(i);
      if (was_seen_[static_cast<std::size_t>(pe)] || has_entered(pe, waits)) continue;
      if (pe == me_) return true;
      was_seen_[static_cast<std::size_t>(pe)] = true;
      const std::uint64_t word = word_of(pe, 0);
      if (word == 0 || Told::from(word).set == waits.set) continue;
      if (!leads_back(Told::from(word))) continue;
      path_.emplace_back(pe, Told::from(word));
      return true;
    }
    return false;
  }
  /// From the one that waits for the caller.
  [[nodiscard]] const std::vector<std::pair<int, Told>>& path() const { return path_; }

 private:
  [[nodiscard]] std::uint64_t word_of(int pe, std::size_t place) const {
    return armature::get(armature::layer::symmetric_address(
        const_cast<std::uint64_t*>(told_) + place, me_, pe, stride_));
  }
  /// Whether it has; true where that is not known, since nothing is said of what may be right.
  [[nodiscard]] bool has_entered(int pe, const Told& collective) const {
    for (std::size_t place = 1; place < words_max; ++place) {
      const std::uint64_t word = word_of(pe, place);
      if (word == 0) return !collective.awaits(0);
      if (const Told told = Told::from(word); told.set == collective.set)
        return !collective.awaits(told.number);
    }
    return true;
  }

  const std::uint64_t* told_;
  int me_;
  std::ptrdiff_t stride_;
  std::vector<bool> was_seen_;
  std::vector<std::pair<int, Told>> path_;
};

}  // namespace

void ActiveSets::open() {
  const armature::World& world = armature::world();
  if (armature::layer::checks_in_full() && world.size() < 1 << Told::pe_bits)
    told_ = static_cast<std::uint64_t*>(
        armature::layer::allocate_symmetric(world, words_max * sizeof(std::uint64_t)));
}

void ActiveSets::close() {
  if (told_ != nullptr) armature::layer::free_symmetric(armature::world(), told_);
  *this = {};
}

/// Two PEs tell, and look then: one at least sees the other.
void ActiveSets::tell(const ActiveSet& set, Known& known) {
  const std::uint64_t word = Told{set, ++known.collectives}.word();
  if (known.place == 0 && known_.size() < words_max) known.place = known_.size();
  if (known.place != 0) __atomic_store_n(told_ + known.place, word, __ATOMIC_SEQ_CST);
  __atomic_store_n(told_, word, __ATOMIC_SEQ_CST);
}

void ActiveSets::require_one_order(const ActiveSet& set) const {
  Circle circle(told_);
  if (!circle.leads_back({set, known_.at(set).collectives})) return;
  const auto& path = circle.path();
  // The first one that is waited for is the last of the path.
  std::string waits;
  for (auto one = path.rbegin(); one != path.rend(); ++one)
    waits += "PE " + std::to_string(one->first) + ", which waits in a collective of " +
             one->second.set.named() + " for ";
  refuse("overlapping active sets: " + set.named() + " waits for " + waits + "this PE " +
             std::to_string(armature::world().rank()) + ", so that none of them goes on",
         armature::Errc::misuse);
}

const armature::Team& ActiveSets::enter(const ActiveSet& set) {
  const armature::World& world = armature::world();
  auto found = known_.find(set);
  if (found == known_.end()) {
    require_sense(set, world);
    found = known_.try_emplace(set).first;
  }
  Known& known = found->second;
  if (told_ != nullptr) {
    tell(set, known);
    require_one_order(set);
  }
  if (set.start == 0 && set.log_stride == 0 && set.size == world.size()) return world;
  if (!known.team) known.team = team_of_members(set);
  return known.team;
}

void ActiveSets::leave() {
  if (told_ != nullptr) __atomic_store_n(told_, 0, __ATOMIC_SEQ_CST);
}

}  // namespace shmem
