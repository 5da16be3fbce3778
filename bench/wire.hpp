#pragma once

#include <cstddef>
#include <cstdint>

#include <armature/armature.hpp>

#include "base/file_descriptor.hpp"

namespace armature::bench {

/// A plain connection between ranks 0 and 1 over loopback, on which both spin, unless said
/// otherwise. It shows what the kernel takes to carry a word there and back, or a stream.
class Wire {
 public:
  explicit Wire(World& world);
  void give(const void* from, std::size_t bytes) const;
  void take(void* to, std::size_t bytes) const;
  void give_asleep(const void* from, std::size_t bytes) const { give(from, bytes, 0); }
  void take_asleep(void* to, std::size_t bytes) const { take(to, bytes, 0); }
  /// Whether there is something to take.
  [[nodiscard]] bool has_something() const;

 private:
  void give(const void* from, std::size_t bytes, int flags) const;
  void take(void* to, std::size_t bytes, int flags) const;

  base::FileDescriptor socket_;
};

/// Rank 0 asks rank 1 for this on the wire: so many bytes there and so many back; `library`: wait
/// in the library from now on; `native`: in the engine by itself; `end`.
struct Turn {
  enum Kind : std::uint64_t { echo, library, native, end } kind;
  std::uint64_t there, back;
};

}  // namespace armature::bench
