#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

extern "C" void* __libc_realloc(void* memory, std::size_t bytes);

namespace armature::interpose {

/// An array that grows, in the process's memory. It never ends: the process may need it to its last
/// instruction.
template <class T>
requires std::is_trivially_copyable_v<T>
class ProcessArray {
 public:
  constexpr ProcessArray() = default;
  ProcessArray(const ProcessArray&) = delete;
  ProcessArray& operator=(const ProcessArray&) = delete;
  ~ProcessArray() = default;

  /// False where there is no memory for it.
  [[nodiscard]] bool append(const T& value) {
    if (count_ == room_) {
      const std::size_t room = std::max<std::size_t>(2 * room_, 8);
      void* const more = __libc_realloc(items_, room * sizeof(T));
      if (more == nullptr) return false;
      items_ = static_cast<T*>(more);
      room_ = room;
    }
    items_[count_++] = value;
    return true;
  }
  /// The last one takes its place.
  void remove(std::size_t i) { items_[i] = items_[--count_]; }
  void clear() { count_ = 0; }

  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] T& operator[](std::size_t i) { return items_[i]; }
  [[nodiscard]] T* begin() { return items_; }
  [[nodiscard]] T* end() { return items_ + count_; }

 private:
  T* items_ = nullptr;
  std::size_t count_ = 0, room_ = 0;
};

}  // namespace armature::interpose
