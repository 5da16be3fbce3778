#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "armature/collectives.hpp"
#include "armature/container/blocks.hpp"
#include "armature/container/placed_part.hpp"
#include "armature/error.hpp"
#include "armature/named_call.hpp"
#include "armature/rmi.hpp"
#include "armature/shared.hpp"
#include "armature/team.hpp"

namespace armature {

namespace detail {

template <class T>
class ListPart : public PlacedPart<ListPart<T>> {
 public:
  explicit ListPart(const Team& team) : PlacedPart<ListPart>(team) {}

  class Pin {
   public:
    explicit Pin(ListPart& part) : part_(part) { ++part_.pins_; }
    Pin(const Pin&) = delete;
    Pin& operator=(const Pin&) = delete;
    ~Pin() { --part_.pins_; }

   private:
    ListPart& part_;
  };
  [[nodiscard]] bool is_pinned() const { return pins_ > 0; }

  std::deque<T> elements;                         // adding at its ends does not move the others
  std::map<std::size_t, std::vector<T>> arrived;  // while balancing: sections by their first index
  std::size_t next_member = 0;

 private:
  int pins_ = 0;
};

}  // namespace detail

/// A distributed_list as a value that may be captured and passed around, also in remote calls.
template <class T>
class list_ref {
 public:
  using value_type = T;
  using Part = detail::ListPart<T>;

  list_ref() = default;
  explicit list_ref(shared_ref<Part> parts) : parts_(parts) {}

  /// Appends to my piece.
  void push_back(T value) const {
    own_elements("distributed_list::push_back").push_back(std::move(value));
  }
  /// Appends to that member's piece, before the next fence ends.
  void async_push_back(int member, const T& value) const {
    Part& here = part();
    if (member < 0 || member >= here.team().size())
      throw Error(Errc::bad_rank, "distributed_list: there is no member " + std::to_string(member) +
                                      " in a team of " + std::to_string(here.team().size()));
    here.send(
        member, [](Part& owner, T v) { owner.elements.push_back(std::move(v)); }, value);
  }
  /// Deals values to the members in turn.
  void async_deal(const T& value) const {
    Part& here = part();
    const auto members = static_cast<std::size_t>(here.team().size());
    // Begins with the neighbour, so that short lists of all do not meet at one member.
    here.next_member = here.next_member == 0 ? static_cast<std::size_t>(here.team().rank()) + 1
                                             : here.next_member + 1;
    async_push_back(static_cast<int>(here.next_member % members), value);
  }
  /// Takes the first element of my piece away, if there is one.
  [[nodiscard]] std::optional<T> take() const {
    auto& elements = own_elements("distributed_list::take");
    if (elements.empty()) return std::nullopt;
    std::optional<T> first(std::move(elements.front()));
    elements.pop_front();
    return first;
  }
  /// My piece.
  [[nodiscard]] std::deque<T>& local() const { return own_elements("distributed_list::local"); }
  [[nodiscard]] const Team& team() const { return part().team(); }

  friend bool operator==(list_ref, list_ref) = default;

 protected:
  [[nodiscard]] Part& part() const { return parts_.local(); }

 private:
  [[nodiscard]] std::deque<T>& own_elements(const char* call) const {
    part().require_rank(call);
    return part().elements;
  }
  shared_ref<Part> parts_;
};

/// A list in pieces, one per member: elements are added where it is convenient, or at another
/// member, and treated where they are. Elements must be marshallable. Construction and destruction
/// are collective.
template <class T>
class distributed_list : private detail::PartOwner<detail::ListPart<T>>, public list_ref<T> {
  using Owner = detail::PartOwner<detail::ListPart<T>>;
  using Part = detail::ListPart<T>;

 public:
  explicit distributed_list(const Team& team) : Owner(team), list_ref<T>(Owner::parts()) {}

  [[nodiscard]] list_ref<T> ref() const { return *this; }

  // -- collective; each begins with a fence
  /// Returns when all one-way calls that members made before, and those that these made, are done.
  void fence() const { rmi_fence(this->team()); }
  [[nodiscard]] std::size_t size() const {
    fence();
    const detail::NamedCall named(this->team(), detail::UserCall::size);
    return allreduce(this->team(), this->local().size());
  }
  [[nodiscard]] bool empty() const { return size() == 0; }
  void clear() {
    fence();
    this->local().clear();
    this->team().barrier();
  }
  /// f(element) where it is. Elements that f adds at an end are not visited.
  template <class F>
  void for_all(F f) const {
    fence();
    {
      Part& part = this->part();
      const typename Part::Pin pin(part);
      // The loop goes by place: calls of others may add some. They do so once all have counted.
      const std::size_t count = part.elements.size();
      this->team().barrier();
      for (std::size_t i = 0; i < count; ++i) f(part.elements[i]);
    }
    fence();
  }
  /// Makes the pieces as equal as possible, with the same elements in the same order.
  void balance() {
    fence();
    Part& part = this->part();
    const Team& team = this->team();
    const detail::NamedCall named(team, detail::UserCall::balance);
    const Blocks now = Blocks::of(allgather(team, part.elements.size()));
    const Blocks even = Blocks::even(now.size(), team.size());
    const std::size_t begin = now.first(team.rank());
    even.for_each_piece(
        begin, part.elements.size(),
        [&](int member, std::size_t, std::size_t count, std::size_t done) {
          const auto from = part.elements.begin() + static_cast<std::ptrdiff_t>(done);
          part.send(
              member,
              [](Part& owner, std::size_t index, std::vector<T> section) {
                owner.arrived.emplace(index, std::move(section));
              },
              begin + done,
              std::vector<T>(std::make_move_iterator(from),
                             std::make_move_iterator(from + static_cast<std::ptrdiff_t>(count))));
        });
    fence();
    part.elements.clear();
    for (auto& [index, section] : part.arrived)
      std::ranges::move(section, std::back_inserter(part.elements));
    part.arrived.clear();
    // Nobody adds to a piece that is not put together yet.
    team.barrier();
  }
};

}  // namespace armature
