#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

#include "armature/collectives.hpp"
#include "armature/container/gather.hpp"
#include "armature/container/hash_table.hpp"
#include "armature/container/placed_part.hpp"
#include "armature/named_call.hpp"
#include "armature/rmi.hpp"
#include "armature/shared.hpp"
#include "armature/team.hpp"

// The common part of maps, multimaps and sets: entries lie at the member that the hash of their key
// names.

namespace armature::detail {

template <class Entry, class Key, class KeyOf, class Hash, class Equal>
class HashedPart : public PlacedPart<HashedPart<Entry, Key, KeyOf, Hash, Equal>> {
  using Base = PlacedPart<HashedPart<Entry, Key, KeyOf, Hash, Equal>>;
  using Table = HashTable<Entry, Key, KeyOf, Equal>;

 public:
  HashedPart(const Team& team, Hash hash, Equal equal)
      : Base(team), entries_(std::move(equal)), hash_(std::move(hash)) {}

  class Pin : public Table::Pin {
   public:
    explicit Pin(HashedPart& part) : Table::Pin(part.entries_) {}
  };
  [[nodiscard]] bool is_pinned() const { return entries_.is_pinned(); }

  [[nodiscard]] Table& entries() { return entries_; }
  [[nodiscard]] std::uint64_t hash(const Key& key) const {
    return spread(static_cast<std::uint64_t>(hash_(key)));
  }
  [[nodiscard]] int owner(const Key& key) const {
    const auto members = static_cast<std::uint64_t>(this->team().size());
    return static_cast<int>(((hash(key) >> 32) * members) >> 32);
  }

  [[nodiscard]] Entry* find(const Key& key) { return entries_.find(key, hash(key)); }
  template <class... Args>
  Entry& insert(const Key& key, Args&&... args) {
    return entries_.insert(hash(key), std::forward<Args>(args)...);
  }
  std::size_t erase(const Key& key) { return entries_.erase(key, hash(key)); }

 private:
  Table entries_;
  [[no_unique_address]] Hash hash_;
};

/// The calls that a reference offers which may be passed around. Ref's are added by the class
/// derived from this one.
template <class Entry, class K, class KeyOf, class Hash, class Equal>
class HashedRef {
 public:
  using key_type = K;
  using value_type = Entry;
  using hasher = Hash;
  using key_equal = Equal;
  using Part = HashedPart<Entry, K, KeyOf, Hash, Equal>;

  HashedRef() = default;
  explicit HashedRef(shared_ref<Part> parts) : parts_(parts) {}

  /// Statements are executed at the key's owner some time before the next fence ends; those of one
  /// rank for one key in the order they were made.
  void async_erase(const K& key) const {
    send(key, [](Part& part, const K& k) { part.erase(k); });
  }
  /// Two-way calls wait for the answer, executing calls of others meanwhile.
  [[nodiscard]] bool contains(const K& key) const {
    return ask(key, [](Part& part, const K& k) { return part.find(k) != nullptr; });
  }
  /// The entries whose keys this rank owns, as a forward range. Insertion does not disturb it;
  /// erasing what is being looked at does, so make no calls meanwhile if somebody may: for_all
  /// lets you.
  [[nodiscard]] auto local() const {
    part().require_rank("local() of a map or set");
    auto& entries = part().entries();
    return std::ranges::subrange(entries.begin(), entries.end());
  }
  [[nodiscard]] bool is_local(const K& key) const {
    Part& here = part();
    return here.owner(key) == here.team().rank();
  }
  [[nodiscard]] const Team& team() const { return part().team(); }

  friend bool operator==(HashedRef, HashedRef) = default;

 protected:
  [[nodiscard]] Part& part() const { return parts_.local(); }
  template <class Op, class... Args>
  void send(const K& key, const Op& op, const Args&... args) const {
    Part& here = part();
    here.send(here.owner(key), op, key, args...);
  }
  template <class Op, class... Args>
  auto ask(const K& key, const Op& op, const Args&... args) const {
    Part& here = part();
    return here.ask(here.owner(key), op, key, args...);
  }
  template <class Op, class... Args>
  auto ask_later(const K& key, const Op& op, const Args&... args) const {
    Part& here = part();
    return here.ask_later(here.owner(key), op, key, args...);
  }

 private:
  shared_ref<Part> parts_;
};

/// Owns the parts, and adds what all members do together. Construction and destruction are
/// collective.
template <class Ref>
class HashedWhole : private PartOwner<typename Ref::Part>, public Ref {
  using Owner = PartOwner<typename Ref::Part>;

 public:
  explicit HashedWhole(const Team& team, typename Ref::hasher hash = {},
                       typename Ref::key_equal equal = {})
      : Owner(team, std::move(hash), std::move(equal)), Ref(Owner::parts()) {}

  /// A value by which also remote calls can use the container.
  [[nodiscard]] Ref ref() const { return *this; }

  // -- collective; each begins with a fence
  /// Returns when all one-way calls that members made before, and those that these made, are done.
  void fence() const { rmi_fence(this->team()); }
  [[nodiscard]] std::size_t size() const {
    fence();
    const detail::NamedCall named(this->team(), detail::UserCall::size);
    return allreduce(this->team(), this->part().entries().size());
  }
  [[nodiscard]] bool empty() const { return size() == 0; }
  void clear() {
    fence();
    this->part().entries().clear();
    this->team().barrier();
  }
  /// f(entry) at the entry's owner, which may change its value and make calls; they are done on
  /// return. Entries that are inserted meanwhile may be visited or not.
  template <class F>
  void for_all(F f) const {
    fence();
    {
      const typename Ref::Part::Pin pin(this->part());
      for (auto& entry : this->local()) call(f, entry);
    }
    fence();
  }
  /// op over init and term(entry) of all entries, in no particular order: every member gets it.
  template <Marshallable T, class Op, class Term>
  [[nodiscard]] T transform_reduce(T init, Op op, Term term) const {
    fence();
    std::optional<T> mine;
    for (auto& entry : this->local()) {
      T value = static_cast<T>(call(term, entry));
      mine = mine ? static_cast<T>(op(*std::move(mine), std::move(value))) : std::move(value);
    }
    const auto total = combine_values(this->team(), mine,
                                      [&op](T a, const T& b) { return static_cast<T>(op(a, b)); });
    return total ? static_cast<T>(op(std::move(init), *total)) : init;
  }

 private:
  /// f(key, value) for the entries of a map, where f takes two.
  template <class F, class Entry>
  static decltype(auto) call(F& f, Entry& entry) {
    if constexpr (requires { f(entry.first, entry.second); })
      return f(entry.first, entry.second);
    else
      return f(entry);
  }
};

}  // namespace armature::detail
