#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "armature/accumulate.hpp"
#include "armature/array/arithmetic.hpp"
#include "armature/array/distributed_array.hpp"
#include "armature/array/section.hpp"
#include "armature/array/use.hpp"
#include "armature/collectives.hpp"
#include "armature/error.hpp"
#include "armature/get.hpp"

// Multi-phase shared arrays (armci-on-charm-2006, section 1). As long as a phase lasts, an array is
// only read, or each element is written once at most, or elements are only added to. The library
// uses that: what is read is fetched once, what is added is combined before it is sent.
//
// A phase is an object: its constructor and end() are collective. Another use of the array
// meanwhile throws Error(misuse), which names the array, the phase and the place. So do local() and
// local_memory() of an array that is not constant. Views that the program has kept are not watched.

namespace armature {

namespace detail {

/// Memory for what members have, one block for each member that was asked for.
template <class T>
class BlocksOfMembers {
 public:
  explicit BlocksOfMembers(const ArrayStore& store)
      : store_(&store), blocks_(static_cast<std::size_t>(store.layout().members())) {}

  /// The block of a member, which prepare(member, block) fills when it is asked for first.
  template <class Prepare>
  std::vector<T>& of(int member, Prepare prepare) {
    std::vector<T>& block = blocks_[static_cast<std::size_t>(member)];
    if (block.empty()) {
      block.resize(static_cast<std::size_t>(store_->layout().block(member).size));
      prepare(member, block);
      ++used_;
    }
    return block;
  }
  [[nodiscard]] std::size_t used() const { return used_; }
  template <class F>
  void for_each(F f) {
    for (std::size_t m = 0; m < blocks_.size(); ++m)
      if (!blocks_[m].empty()) f(static_cast<int>(m), blocks_[m]);
  }
  void clear() { blocks_.assign(blocks_.size(), {}); }

 private:
  const ArrayStore* store_;
  std::vector<std::vector<T>> blocks_;
  std::size_t used_ = 0;
};

/// Calls f(place in the member's memory, place in the buffer) for all elements of a box.
template <class F>
void for_both_places(const ArrayBox& box, F f, int level, std::ptrdiff_t remote,
                     std::ptrdiff_t local) {
  if (level < 0) return f(remote, local);
  const ArrayBox::Level& here = box.level[static_cast<std::size_t>(level)];
  for (std::ptrdiff_t i = 0; i < here.count; ++i)
    for_both_places(box, f, level - 1, remote + i * here.remote_stride,
                    local + i * here.local_stride);
}

/// The beginning and the end of a phase of an array.
class PhaseOfArray {
 public:
  PhaseOfArray(const ArrayStore& store, ArrayPhase phase) : store_(&store) {
    store.begin_phase(phase);
    store.team().barrier();
  }
  PhaseOfArray(const PhaseOfArray&) = delete;
  PhaseOfArray& operator=(const PhaseOfArray&) = delete;
  ~PhaseOfArray() {
    if (is_on_) store_->begin_phase(ArrayPhase::none);  // without the others: an exception
  }

  [[nodiscard]] bool is_on() const { return is_on_; }
  [[nodiscard]] const ArrayStore& store() const { return *store_; }
  void require_on() const {
    if (!is_on_)
      throw Error(Errc::misuse, "distributed_array '" + store_->name() + "': the phase has ended");
  }
  void end() {
    require_on();
    store_->team().barrier();
    store_->begin_phase(ArrayPhase::none);
    is_on_ = false;
  }

 private:
  const ArrayStore* store_;
  bool is_on_ = true;
};

/// Calls f(member, box) for all boxes of a section beside a dense buffer of so many elements.
template <class S, class F>
void for_boxes(const ArrayStore& store, const S& section, std::size_t elements, F f) {
  if (&section.store() != &store)
    throw Error(Errc::bad_argument, "a section of distributed_array '" + section.store().name() +
                                        "' in a phase of '" + store.name() + "'");
  const std::ptrdiff_t given = static_cast<std::ptrdiff_t>(elements);
  if (given != section.size()) store.require_shape(section.section(), &given, 1);
  PerDimension strides{};
  std::ptrdiff_t stride = 1;
  for (int k = section.dimensions(); k-- > 0;) {
    strides[static_cast<std::size_t>(k)] = stride;
    stride *= section.extent(k);
  }
  for (const ArrayPartner& partner : plan_section(store.layout(), section.section(), strides))
    for (const ArrayBox& box : partner.boxes) f(partner.member, box);
}

}  // namespace detail

/// A phase in which an array is only read. What another member has is fetched when it is asked for
/// first, all of it by one get, and kept until the phase ends.
template <class T, int N>
class read_phase {
 public:
  /// Collective. The array lives as long.
  explicit read_phase(const distributed_array<T, N>& array)
      : phase_(array.store(), detail::ArrayPhase::read_only), blocks_(array.store()) {}

  /// Returns an element.
  template <std::integral... I>
  requires(sizeof...(I) == static_cast<std::size_t>(N)) [[nodiscard]] T operator()(I... i) {
    phase_.require_on();
    const std::array<std::ptrdiff_t, static_cast<std::size_t>(N)> at{
        static_cast<std::ptrdiff_t>(i)...};
    const detail::ArrayStore& store = phase_.store();
    detail::require_index(store.name(), store.layout(), at.data());
    const auto where = store.layout().locate(at.data());
    return memory(where.member)[where.offset];
  }
  /// Copies a section of the array to a buffer in the order of a C array.
  void get(const array_section<const T>& section, std::span<T> to) {
    phase_.require_on();
    detail::for_boxes(phase_.store(), section, to.size(),
                      [&](int member, const detail::ArrayBox& box) {
                        const T* const from = memory(member);
                        detail::for_both_places(
                            box,
                            [&](std::ptrdiff_t there, std::ptrdiff_t here) {
                              to[static_cast<std::size_t>(here)] = from[there];
                            },
                            box.levels - 1, box.remote, box.local);
                      });
  }
  /// How many blocks of other members have been fetched: each once at most.
  [[nodiscard]] std::size_t fetched() const { return blocks_.used(); }
  /// Collective: the array may be used in any way after it.
  void end() {
    phase_.end();
    blocks_.clear();
  }

 private:
  const T* memory(int original) {
    const detail::ArrayStore& store = phase_.store();
    const int nearest = store.nearest(original);
    if (nearest == store.me()) return reinterpret_cast<const T*>(store.mine());
    return blocks_
        .of(nearest,
            [&](int member, std::vector<T>& block) {
              const global_ptr<std::byte> there = store.memory(member);
              armature::get(reinterpret_cast<std::byte*>(block.data()),
                            global_ptr<const std::byte>(there), block.size() * sizeof(T));
            })
        .data();
  }

  detail::PhaseOfArray phase_;
  detail::BlocksOfMembers<T> blocks_;
};

/// A phase in which elements are only added to. What is added to another member's elements is
/// combined here, and sent when the phase ends: one accumulate for each member that is concerned.
/// Sums of floating-point numbers may be rounded in another order than without.
template <Accumulable T, int N>
class accumulate_phase {
 public:
  /// Collective. The array lives as long.
  explicit accumulate_phase(distributed_array<T, N>& array)
      : phase_(array.store(), detail::ArrayPhase::accumulate), blocks_(array.store()) {}

  /// Adds to an element.
  void add(const std::array<std::ptrdiff_t, static_cast<std::size_t>(N)>& at, const T& value) {
    phase_.require_on();
    const detail::ArrayStore& store = phase_.store();
    detail::require_index(store.name(), store.layout(), at.data());
    const auto where = store.layout().locate(at.data());
    sums(where.member)[where.offset] += value;
  }
  /// Adds scale times a buffer in the order of a C array to a section of the array.
  void add(const array_section<T>& section, std::span<const T> values, const T& scale = T(1)) {
    phase_.require_on();
    detail::for_boxes(phase_.store(), section, values.size(),
                      [&](int member, const detail::ArrayBox& box) {
                        T* const to = sums(member);
                        detail::for_both_places(
                            box,
                            [&](std::ptrdiff_t there, std::ptrdiff_t here) {
                              to[there] += scale * values[static_cast<std::size_t>(here)];
                            },
                            box.levels - 1, box.remote, box.local);
                      });
  }
  /// How many members something is sent to at the end.
  [[nodiscard]] std::size_t partners() const { return blocks_.used(); }
  /// Collective: all has been added when it returns, and the array may be used in any way.
  void end() {
    phase_.require_on();
    const T one = T(1);
    blocks_.for_each([&](int member, std::vector<T>& block) {
      detail::ArrayTransfers transfers(detail::ArrayTransfers::Verb::accumulate, sizeof(T));
      transfers.accumulate_by(detail::element_of<T>, &one);
      const detail::ArrayStore& store = phase_.store();
      store.add({{member, {detail::whole_block(store.layout().block(member))}}},
                reinterpret_cast<std::byte*>(block.data()), transfers);
      transfers.perform();
    });
    phase_.end();
    blocks_.clear();
  }

 private:
  T* sums(int member) {
    return blocks_.of(member, [](int, std::vector<T>&) {}).data();
  }

  detail::PhaseOfArray phase_;
  detail::BlocksOfMembers<T> blocks_;
};

/// A phase in which each element is written once at most, by any member, and not read. That nobody
/// writes one twice is found out at the end.
template <class T, int N>
class write_once_phase {
 public:
  /// Collective. The array lives as long.
  explicit write_once_phase(distributed_array<T, N>& array)
      : phase_(array.store(), detail::ArrayPhase::write_once),
        times_(distributed_array<std::int32_t, N>::like(array, array.name())),
        counting_(times_) {}

  /// Writes an element.
  void put(const std::array<std::ptrdiff_t, static_cast<std::size_t>(N)>& at, const T& value) {
    phase_.require_on();
    counting_.add(at, 1);
    const detail::ArrayStore& store = phase_.store();
    const auto where = store.layout().locate(at.data());
    store.put_copies(store.memory(store.nearest(where.member)) +
                         where.offset * static_cast<std::ptrdiff_t>(sizeof(T)),
                     &value);
  }
  /// Writes a section of the array from a buffer in the order of a C array.
  void put(const array_section<T>& section, std::span<const T> values) {
    phase_.require_on();
    const detail::ArrayStore& store = phase_.store();
    detail::ArrayTransfers transfers(detail::ArrayTransfers::Verb::put, sizeof(T));
    std::vector<detail::ArrayPartner> plan;
    detail::for_boxes(store, section, values.size(), [&](int member, const detail::ArrayBox& box) {
      if (plan.empty() || plan.back().member != member) plan.push_back({member, {}});
      plan.back().boxes.push_back(box);
    });
    const std::vector<std::int32_t> ones(values.size(), 1);
    counting_.add(array_section<std::int32_t>(times_.store(), section.section()), ones);
    store.add(plan, reinterpret_cast<std::byte*>(const_cast<T*>(values.data())), transfers);
    transfers.perform();
  }
  /// Collective: what was written is seen by all after. Throws Error(misuse), at all members, which
  /// names the first element that was written more than once; the phase has ended then, too.
  void end() {
    phase_.require_on();
    counting_.end();
    phase_.end();
    using Indices = typename distributed_array<T, N>::Indices;
    struct First {
      bool is_there;
      Indices at;
      std::int32_t times;
    } mine{false, {}, 0};
    const auto times = std::as_const(times_).local();
    detail::for_each_local(times_, [&](const auto& i) {
      if (mine.is_there || times[i] <= 1) return;
      mine = {true, times_.global(i), times[i]};
    });
    const First first = allreduce(phase_.store().team(), mine, [](const First& a, const First& b) {
      if (!a.is_there || !b.is_there) return a.is_there ? a : b;
      return a.at < b.at ? a : b;
    });
    if (first.is_there)
      throw Error(Errc::misuse, "distributed_array '" + phase_.store().name() + "': element " +
                                    detail::element_text(first.at.data(), N) + " was written " +
                                    std::to_string(first.times) + " times in a write-once phase");
  }

 private:
  detail::PhaseOfArray phase_;
  distributed_array<std::int32_t, N> times_;  // how often each element was written
  accumulate_phase<std::int32_t, N> counting_;
};

}  // namespace armature
