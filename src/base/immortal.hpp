#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace armature::base {

/// Holds something that is never destroyed. exit() destroys all else that is static while the
/// library's threads still handle what comes.
template <class T>
class Immortal {
 public:
  template <class... Args>
  explicit Immortal(Args&&... args) {
    new (memory_) T(std::forward<Args>(args)...);
  }
  Immortal(const Immortal&) = delete;
  Immortal& operator=(const Immortal&) = delete;

  [[nodiscard]] T& operator*() { return *std::launder(reinterpret_cast<T*>(memory_)); }
  [[nodiscard]] T* operator->() { return &**this; }

 private:
  alignas(T) std::byte memory_[sizeof(T)];
};

}  // namespace armature::base
