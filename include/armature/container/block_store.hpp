#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "armature/collectives.hpp"
#include "armature/container/blocks.hpp"
#include "armature/container/by_rank.hpp"
#include "armature/error.hpp"
#include "armature/fence.hpp"
#include "armature/get.hpp"
#include "armature/global_ptr.hpp"
#include "armature/handle.hpp"
#include "armature/marshal.hpp"
#include "armature/named_call.hpp"
#include "armature/piece.hpp"
#include "armature/put.hpp"
#include "armature/rmi.hpp"
#include "armature/shared.hpp"
#include "armature/team.hpp"

// The store of a distributed_vector's elements. Elements that may be copied as bytes lie in the
// global address space: other members read and write them without their owner. Elements that own
// something (strings, vectors) lie in ordinary memory and are read and written by remote calls.
// Both have the same members, so that nothing above needs to know.

namespace armature::detail {

/// Throws Error(bad_argument) when a distributed_vector of `size` elements has no element i.
inline void require_element(std::size_t i, std::size_t size) {
  if (i >= size)
    throw Error(Errc::bad_argument, "distributed_vector: there is no element " + std::to_string(i) +
                                        " in one of " + std::to_string(size));
}

/// Throws it for the section of `count` elements from `first`.
inline void require_section(std::size_t first, std::size_t count, std::size_t size) {
  if (first > size || count > size - first)
    throw Error(Errc::bad_argument, "distributed_vector: there are no " + std::to_string(count) +
                                        " elements from " + std::to_string(first) + " in one of " +
                                        std::to_string(size));
}

/// Collective: what members wrote before is seen by all after. If one of them knows of calls, these
/// are done, and what they wrote is seen.
inline void meet(const Team& team, bool knows_of_calls) {
  fence_all();
  if (!allreduce(team, knows_of_calls, std::logical_or<>())) return;
  rmi_fence(team);
  team.barrier();  // visitors may have put
}

/// Made and destroyed collectively. Elements are zero, or as default-constructed.
template <class T>
class BlockStore;

template <Transferable T>
class BlockStore<T> {
 public:
  BlockStore(const Team& team, Blocks blocks)
      : team_(team),
        blocks_(std::move(blocks)),
        piece_([&] {
          const NamedCall named(team, UserCall::make_container);
          return team.allocate<T>(blocks_.count(team.rank()));
        }()),
        mine_(piece_.on(team.rank())),
        mine_first_(blocks_.first(team.rank())),
        mine_count_(blocks_.count(team.rank())),
        exceptions_(std::uncaught_exceptions()) {}
  BlockStore(const BlockStore&) = delete;
  BlockStore& operator=(const BlockStore&) = delete;
  ~BlockStore() {
    // Nobody comes to meet us on the way out of the job: the memory goes with the job.
    if (std::uncaught_exceptions() != exceptions_) return;
    try {
      team_.free(piece_);
    } catch (const Error&) {
      // A member has died: its piece cannot be given back, and ours is still in use for all we
      // know.
    }
  }

  [[nodiscard]] const Team& team() const { return team_; }
  [[nodiscard]] const Blocks& blocks() const { return blocks_; }
  [[nodiscard]] T* mine() const { return mine_.address(); }

  [[nodiscard]] global_ptr<T> pointer(std::size_t i) const {
    if (i - mine_first_ < mine_count_) return mine_ + static_cast<std::ptrdiff_t>(i - mine_first_);
    require_element(i, blocks_.size());
    const int member = blocks_.owner(i);
    return piece_.on(member) + static_cast<std::ptrdiff_t>(i - blocks_.first(member));
  }
  [[nodiscard]] T read(std::size_t i) const { return get(pointer(i)); }
  void write(std::size_t i, const T& value) const { put(pointer(i), value); }

  /// Reads from all members at once.
  void read(std::size_t first, std::span<T> to) const {
    std::vector<Handle> under_way;
    blocks_.for_each_piece(
        first, to.size(), [&](int member, std::size_t at, std::size_t n, std::size_t done) {
          Handle one =
              get_async(to.data() + done, piece_.on(member) + static_cast<std::ptrdiff_t>(at), n);
          if (!one.test()) under_way.push_back(std::move(one));
        });
    wait_all(under_way);
  }
  void write(std::size_t first, std::span<const T> from) const {
    blocks_.for_each_piece(
        first, from.size(), [&](int member, std::size_t at, std::size_t n, std::size_t done) {
          put(piece_.on(member) + static_cast<std::ptrdiff_t>(at), from.data() + done, n);
        });
  }
  /// Collective: what was written before, and what visits wrote, is seen by all after.
  void fence() const { meet(team_, take_visits()); }
  /// Notes that this member has made a one-way call that visits an element.
  void note_visit() const { has_visits_.store(true, std::memory_order_relaxed); }
  /// Whether it has made some since the last fence, which the caller makes good.
  [[nodiscard]] bool take_visits() const {
    return has_visits_.load(std::memory_order_relaxed) && has_visits_.exchange(false);
  }

 private:
  Team team_;
  Blocks blocks_;
  Piece<T> piece_;
  global_ptr<T> mine_;
  std::size_t mine_first_;
  std::size_t mine_count_;
  int exceptions_;
  mutable std::atomic<bool> has_visits_ = false;  // a service thread may visit, too
};

template <class T>
requires(!Transferable<T> && Marshallable<T>) class BlockStore<T> {
 public:
  BlockStore(const Team& team, Blocks blocks)
      : team_(team), blocks_(std::move(blocks)), part_(team_, blocks_.count(team_.rank())) {
    part_->set_id(part_.id());
    if (part_->has_service()) team_.barrier();  // nobody calls a part that has no name yet
  }
  BlockStore(const BlockStore&) = delete;
  BlockStore& operator=(const BlockStore&) = delete;

  [[nodiscard]] const Team& team() const { return team_; }
  [[nodiscard]] const Blocks& blocks() const { return blocks_; }
  [[nodiscard]] T* mine() const { return part_->elements.data(); }

  [[nodiscard]] T read(std::size_t i) const {
    require_element(i, blocks_.size());
    const int member = blocks_.owner(i);
    const std::size_t at = i - blocks_.first(member);
    if (is_mine(member)) return part_->elements[at];
    if (part_->has_service())
      return ask(
          member, [](Part& part, std::size_t k) { return part.element(k); }, at);
    return part_.sync(team_.world_rank(member), &Part::element, at);
  }
  void write(std::size_t i, const T& value) const {
    require_element(i, blocks_.size());
    const int member = blocks_.owner(i);
    const std::size_t at = i - blocks_.first(member);
    if (is_mine(member))
      part_->elements[at] = value;
    else if (part_->has_service())
      tell(
          member, [](Part& part, std::size_t k, const T& one) { part.set(k, one); }, at, value);
    else
      part_.async(team_.world_rank(member), &Part::set, at, value);
  }
  void read(std::size_t first, std::span<T> to) const {
    blocks_.for_each_piece(first, to.size(),
                           [&](int member, std::size_t at, std::size_t n, std::size_t done) {
                             if (is_mine(member)) {
                               std::copy_n(mine() + at, n, to.data() + done);
                             } else {
                               auto elements = section(member, at, n);
                               std::move(elements.begin(), elements.end(), to.data() + done);
                             }
                           });
  }
  void write(std::size_t first, std::span<const T> from) const {
    blocks_.for_each_piece(first, from.size(),
                           [&](int member, std::size_t at, std::size_t n, std::size_t done) {
                             const T* const begin = from.data() + done;
                             if (is_mine(member))
                               std::copy_n(begin, n, mine() + at);
                             else
                               set_section(member, at, std::vector<T>(begin, begin + n));
                           });
  }
  void fence() const { rmi_fence(team_); }
  void note_visit() const {}

 private:
  struct Part : ByRank<Part> {
    explicit Part(std::size_t n) : elements(n) {}
    T element(std::size_t at) const { return elements.at(at); }
    std::vector<T> section(std::size_t at, std::size_t n) const {
      const auto begin = elements.begin() + static_cast<std::ptrdiff_t>(at);
      return std::vector<T>(begin, begin + static_cast<std::ptrdiff_t>(n));
    }
    void set(std::size_t at, const T& value) { elements.at(at) = value; }
    void set_section(std::size_t at, const std::vector<T>& values) {
      std::copy(values.begin(), values.end(), elements.begin() + static_cast<std::ptrdiff_t>(at));
    }
    std::vector<T> elements;
  };

  /// A service thread reaches its own rank's elements by calls, as those of others.
  [[nodiscard]] bool is_mine(int member) const {
    return member == team_.rank() && !part_->is_used_beside();
  }
  template <class Op, class... Args>
  void tell(int member, const Op& op, const Args&... args) const {
    tell_part(part_.ref(), team_.world_rank(member), op, args...);
  }
  template <class Op, class... Args>
  auto ask(int member, const Op& op, const Args&... args) const {
    return ask_part(part_.ref(), team_.world_rank(member), op, args...).get();
  }
  [[nodiscard]] std::vector<T> section(int member, std::size_t at, std::size_t n) const {
    if (part_->has_service())
      return ask(
          member,
          [](Part& part, std::size_t k, std::size_t count) { return part.section(k, count); }, at,
          n);
    return part_.sync(team_.world_rank(member), &Part::section, at, n);
  }
  void set_section(int member, std::size_t at, const std::vector<T>& values) const {
    if (part_->has_service())
      tell(
          member,
          [](Part& part, std::size_t k, const std::vector<T>& all) { part.set_section(k, all); },
          at, values);
    else
      part_.async(team_.world_rank(member), &Part::set_section, at, values);
  }

  Team team_;
  Blocks blocks_;
  shared<Part> part_;
};

/// Collective: a store of `size` elements in blocks as equal as can be takes the place of `store`.
/// Every member fetches what its new block keeps; elements that are new are `value`. The caller
/// fences before and after.
template <class T>
void even_out(std::unique_ptr<BlockStore<T>>& store, std::size_t size, const T& value) {
  const Team team = store->team();
  const Blocks even = Blocks::even(size, team.size());
  if (even == store->blocks()) return;
  auto next = std::make_unique<BlockStore<T>>(team, even);
  const std::size_t begin = even.first(team.rank()), end = even.first(team.rank() + 1);
  const std::size_t kept_end = std::clamp(store->blocks().size(), begin, end);
  const std::span<T> block(next->mine(), end - begin);
  if (kept_end > begin) store->read(begin, block.first(kept_end - begin));
  std::ranges::fill(block.subspan(kept_end - begin), value);
  // Collective: the old blocks go when all have fetched.
  store = std::move(next);
}

}  // namespace armature::detail
