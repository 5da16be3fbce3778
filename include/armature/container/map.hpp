#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "armature/container/hashed.hpp"
#include "armature/future.hpp"

namespace armature {

namespace detail {

struct FirstOf {
  template <class Entry>
  const auto& operator()(const Entry& entry) const {
    return entry.first;
  }
};

template <class K, class V, class Hash, class Equal>
using MapRefBase = HashedRef<std::pair<const K, V>, K, FirstOf, Hash, Equal>;

/// f(map, key, value, args...) where it takes that, else f(key, value, args...).
template <class Ref, class Part, class F, class Entry, class... Args>
decltype(auto) visit_entry(Part& part, F& f, Entry& entry, Args&&... args) {
  if constexpr (std::is_invocable_v<F&, Ref, decltype((entry.first)), decltype((entry.second)),
                                    Args...>)
    return f(Ref(part.self()), entry.first, entry.second, std::forward<Args>(args)...);
  else
    return f(entry.first, entry.second, std::forward<Args>(args)...);
}

}  // namespace detail

/// A distributed_map as a value that may be captured and passed around, also in remote calls.
///
/// Functions that visit run at the key's owner, one at a time. They are lambdas or function objects
/// that capture nothing, or trivially copyable values. They are called as f(key, value, args...) or
/// f(map_ref, key, value, args...).
template <class K, class V, class Hash = std::hash<K>, class Equal = std::equal_to<K>>
class map_ref : public detail::MapRefBase<K, V, Hash, Equal> {
  using Base = detail::MapRefBase<K, V, Hash, Equal>;

 public:
  using mapped_type = V;
  using Part = typename Base::Part;
  using Base::Base;

  // -- one-way calls
  /// Nothing happens when the key is there.
  void async_insert(const K& key, const V& value) const {
    this->send(
        key,
        [](Part& part, const K& k, V v) {
          if (part.find(k) == nullptr) part.insert(k, k, std::move(v));
        },
        value);
  }
  void async_assign(const K& key, const V& value) const {
    this->send(
        key,
        [](Part& part, const K& k, V v) {
          if (auto* entry = part.find(k))
            entry->second = std::move(v);
          else
            part.insert(k, k, std::move(v));
        },
        value);
  }
  /// The value becomes op(old, value), or value where there was none.
  template <detail::Visitor Op = std::plus<>>
  void async_combine(const K& key, const V& value, Op op = {}) const {
    this->send(
        key,
        [op](Part& part, const K& k, V v) mutable {
          if (auto* entry = part.find(k))
            entry->second = op(std::move(entry->second), std::move(v));
          else
            part.insert(k, k, std::move(v));
        },
        value);
  }
  /// Makes the entry with V() when it is not there.
  template <detail::Visitor F, class... Args>
  void async_visit(const K& key, F f, const Args&... args) const {
    this->send(key, Visit<F>{f}, args...);
  }
  /// Nothing happens when the key is not there.
  template <detail::Visitor F, class... Args>
  void async_visit_if_present(const K& key, F f, const Args&... args) const {
    this->send(
        key,
        [f](Part& part, const K& k, Args... a) mutable {
          if (auto* entry = part.find(k))
            (void)detail::visit_entry<map_ref>(part, f, *entry, std::move(a)...);
        },
        args...);
  }

  // -- two-way calls
  [[nodiscard]] std::optional<V> find(const K& key) const { return this->ask(key, Find()); }
  [[nodiscard]] future<std::optional<V>> find_async(const K& key) const {
    return this->ask_later(key, Find());
  }
  /// Calls f at the owner and returns what f returns, which may be nothing. Makes the entry with
  /// V() when it is not there.
  template <detail::Visitor F, class... Args>
  auto visit(const K& key, F f, const Args&... args) const {
    return this->ask(key, Visit<F>{f}, args...);
  }

 private:
  struct Find {
    std::optional<V> operator()(Part& part, const K& key) const {
      const auto* entry = part.find(key);
      return entry == nullptr ? std::nullopt : std::optional<V>(entry->second);
    }
  };
  template <class F>
  struct Visit {
    F f;
    template <class... Args>
    decltype(auto) operator()(Part& part, const K& key, Args&&... args) {
      auto* entry = part.find(key);
      if (entry == nullptr) entry = &part.insert(key, key, V());
      return detail::visit_entry<map_ref>(part, f, *entry, std::forward<Args>(args)...);
    }
  };
};

/// A hash map that is spread over the members of a team and is one object to all of them. Keys and
/// values must be marshallable. All of map_ref's calls, and collective ones: fence, size, empty,
/// clear, for_all(f(key, value)), transform_reduce.
template <class K, class V, class Hash = std::hash<K>, class Equal = std::equal_to<K>>
class distributed_map : public detail::HashedWhole<map_ref<K, V, Hash, Equal>> {
 public:
  using detail::HashedWhole<map_ref<K, V, Hash, Equal>>::HashedWhole;
};

/// A map_ref for a map that may have several entries of one key.
template <class K, class V, class Hash = std::hash<K>, class Equal = std::equal_to<K>>
class multimap_ref : public detail::MapRefBase<K, V, Hash, Equal> {
  using Base = detail::MapRefBase<K, V, Hash, Equal>;

 public:
  using mapped_type = V;
  using Part = typename Base::Part;
  using Base::Base;

  void async_insert(const K& key, const V& value) const {
    this->send(
        key, [](Part& part, const K& k, V v) { part.insert(k, k, std::move(v)); }, value);
  }
  /// Visits every entry of the key.
  template <detail::Visitor F, class... Args>
  void async_visit(const K& key, F f, const Args&... args) const {
    this->send(
        key,
        [f](Part& part, const K& k, Args... a) mutable {
          part.entries().for_each_of(k, part.hash(k), [&](auto& entry) {
            (void)detail::visit_entry<multimap_ref>(part, f, entry, a...);
          });
        },
        args...);
  }
  [[nodiscard]] std::size_t count(const K& key) const {
    return this->ask(key, [](Part& part, const K& k) {
      std::size_t count = 0;
      part.entries().for_each_of(k, part.hash(k), [&](const auto&) { ++count; });
      return count;
    });
  }
  /// The values of all entries of the key, in no particular order.
  [[nodiscard]] std::vector<V> find(const K& key) const {
    return this->ask(key, [](Part& part, const K& k) {
      std::vector<V> values;
      part.entries().for_each_of(k, part.hash(k),
                                 [&](const auto& entry) { values.push_back(entry.second); });
      return values;
    });
  }
};

template <class K, class V, class Hash = std::hash<K>, class Equal = std::equal_to<K>>
class distributed_multimap : public detail::HashedWhole<multimap_ref<K, V, Hash, Equal>> {
 public:
  using detail::HashedWhole<multimap_ref<K, V, Hash, Equal>>::HashedWhole;
};

}  // namespace armature
