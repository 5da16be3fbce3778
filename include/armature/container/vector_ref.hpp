#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "armature/container/block_store.hpp"
#include "armature/container/by_rank.hpp"
#include "armature/container/placed_part.hpp"
#include "armature/rmi.hpp"
#include "armature/shared.hpp"
#include "armature/team.hpp"

namespace armature {

template <class T>
class vector_ref;

namespace detail {

/// A member's part of a distributed_vector, for calls that visit its elements.
template <class T>
class VectorPart : public ByRank<VectorPart<T>> {
 public:
  explicit VectorPart(BlockStore<T>* store) : store_(store) {}
  VectorPart(const VectorPart&) = delete;
  VectorPart& operator=(const VectorPart&) = delete;

  void set_self(shared_ref<VectorPart> self) {
    self_ = self;
    this->set_id(self.id());
  }
  /// The vector has another one.
  void set_store(BlockStore<T>* store) { store_ = store; }
  [[nodiscard]] BlockStore<T>& store() const { return *store_; }

  template <class F, class... Args>
  void run(F f, std::size_t i, Args... args) {
    (void)answer<F, Args...>(std::move(f), i, std::move(args)...);
  }
  /// f(vector_ref, i, element, args...), f(i, element, args...) or f(element, args...).
  template <class F, class... Args>
  auto answer(F f, std::size_t i, Args... args) {
    T& element = store_->mine()[i - store_->blocks().first(store_->team().rank())];
    if constexpr (std::is_invocable_v<F&, vector_ref<T>, std::size_t, T&, Args...>)
      return std::invoke(f, vector_ref<T>(self_), i, element, std::move(args)...);
    else if constexpr (std::is_invocable_v<F&, std::size_t, T&, Args...>)
      return std::invoke(f, i, element, std::move(args)...);
    else
      return std::invoke(f, element, std::move(args)...);
  }

 private:
  BlockStore<T>* store_;
  shared_ref<VectorPart> self_;
};

}  // namespace detail

/// A distributed_vector as a value that may be captured and passed around, also in remote calls,
/// until the vector ends.
///
/// Functions that visit run at the element's owner, one at a time. They are lambdas or function
/// objects that capture nothing, or trivially copyable values. They are called as f(element,
/// args...), f(i, element, args...) or f(vector_ref, i, element, args...). Visits of one rank at
/// one element are executed in the order in which they were made; they are not ordered with what is
/// written to it otherwise. All calls that name an element throw Error(bad_argument) when there is
/// none.
template <class T>
class vector_ref {
 public:
  using value_type = T;
  using Part = detail::VectorPart<T>;

  vector_ref() = default;
  explicit vector_ref(shared_ref<Part> parts) : parts_(parts) {}

  /// A one-way call: executed at the owner some time before the next fence ends.
  template <detail::Visitor F, class... Args>
  void async_visit(std::size_t i, F f, const Args&... args) const {
    const auto& store = visited(i);
    store.note_visit();
    parts_.local().check_function(f, "distributed_vector::async_visit");
    if (parts_.local().has_service()) [[unlikely]]
      return detail::tell_part(parts_, rank_of(store, i), Answer<F>{f}, i, args...);
    parts_.async(rank_of(store, i), &Part::template run<F, Args...>, f, i, args...);
  }
  /// A two-way call: waits for what f returns, executing calls of others meanwhile.
  template <detail::Visitor F, class... Args>
  auto visit(std::size_t i, F f, const Args&... args) const {
    const auto& store = visited(i);
    parts_.local().check_function(f, "distributed_vector::visit");
    if (parts_.local().has_service()) [[unlikely]]
      return detail::ask_part(parts_, rank_of(store, i), Answer<F>{f}, i, args...).get();
    return parts_.sync(rank_of(store, i), &Part::template answer<F, Args...>, f, i, args...);
  }

  [[nodiscard]] std::size_t size() const { return store().blocks().size(); }
  /// The member that has element i. Throws Error(bad_argument).
  [[nodiscard]] int owner(std::size_t i) const {
    detail::require_element(i, size());
    return store().blocks().owner(i);
  }
  [[nodiscard]] const Team& team() const { return store().team(); }

  friend bool operator==(vector_ref, vector_ref) = default;

 private:
  template <class F>
  struct Answer {
    F f;
    template <class... Args>
    auto operator()(Part& part, std::size_t i, Args&&... args) {
      return part.template answer<F, std::decay_t<Args>...>(f, i, std::forward<Args>(args)...);
    }
  };
  [[nodiscard]] const detail::BlockStore<T>& store() const { return parts_.local().store(); }
  [[nodiscard]] const detail::BlockStore<T>& visited(std::size_t i) const {
    const auto& here = store();
    detail::require_element(i, here.blocks().size());
    return here;
  }
  static Rank rank_of(const detail::BlockStore<T>& store, std::size_t i) {
    return store.team().world_rank(store.blocks().owner(i));
  }

  shared_ref<Part> parts_;
};

namespace detail {

/// The calls of a distributed_vector that visit elements; see vector_ref. Construction and
/// destruction are collective.
template <class T>
class VectorVisits {
 public:
  /// A value by which also remote calls can visit elements.
  [[nodiscard]] vector_ref<T> ref() const { return vector_ref<T>(part_->ref()); }
  template <Visitor F, class... Args>
  void async_visit(std::size_t i, F f, const Args&... args) const {
    ref().async_visit(i, f, args...);
  }
  template <Visitor F, class... Args>
  auto visit(std::size_t i, F f, const Args&... args) const {
    return ref().visit(i, f, args...);
  }

 protected:
  explicit VectorVisits(BlockStore<T>& store)
      : part_(std::make_unique<shared<VectorPart<T>>>(store.team(), &store)) {
    (*part_)->set_self(part_->ref());
    // With service threads nobody may visit before.
    if ((*part_)->has_service()) store.team().barrier();
  }
  VectorVisits(VectorVisits&&) noexcept = default;
  VectorVisits& operator=(VectorVisits&&) noexcept = default;
  ~VectorVisits() = default;

  /// The vector has its elements there from now on.
  void begin_visits(BlockStore<T>& store) { (*part_)->set_store(&store); }
  /// Before its elements end.
  void end_visits() { part_.reset(); }

 private:
  std::unique_ptr<shared<VectorPart<T>>> part_;
};

}  // namespace detail

}  // namespace armature
