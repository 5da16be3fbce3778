#pragma once

#include <functional>
#include <utility>

#include "armature/container/hashed.hpp"

namespace armature {

/// A distributed_set as a value that may be captured and passed around, also in remote calls.
template <class K, class Hash = std::hash<K>, class Equal = std::equal_to<K>>
class set_ref : public detail::HashedRef<const K, K, std::identity, Hash, Equal> {
  using Base = detail::HashedRef<const K, K, std::identity, Hash, Equal>;

 public:
  using Part = typename Base::Part;
  using Base::Base;

  void async_insert(const K& key) const {
    this->send(key, [](Part& part, const K& k) {
      if (part.find(k) == nullptr) part.insert(k, k);
    });
  }
  /// Calls f(key, args...), or f(set_ref, key, args...), at the owner if the key was not there.
  template <detail::Visitor F, class... Args>
  void async_insert(const K& key, F f, const Args&... args) const {
    this->send(
        key,
        [f](Part& part, const K& k, Args... a) mutable {
          if (part.find(k) != nullptr) return;
          const K& inserted = part.insert(k, k);
          if constexpr (std::is_invocable_v<F&, set_ref, const K&, Args...>)
            f(set_ref(part.self()), inserted, std::move(a)...);
          else
            f(inserted, std::move(a)...);
        },
        args...);
  }
};

/// A hash set that is spread over the members of a team and is one object to all of them. All of
/// set_ref's calls, and collective ones: fence, size, empty, clear, for_all(f(key)),
/// transform_reduce.
template <class K, class Hash = std::hash<K>, class Equal = std::equal_to<K>>
class distributed_set : public detail::HashedWhole<set_ref<K, Hash, Equal>> {
 public:
  using detail::HashedWhole<set_ref<K, Hash, Equal>>::HashedWhole;
};

}  // namespace armature
