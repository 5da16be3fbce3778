#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

// How much this process's ranks have begun and not completed. A transfer that is begun costs a
// little memory until it is over, and its bytes wait for their turn: so there is a bound of both. A
// rank that wants to begin more first completes the oldest, down to a half, so that what follows
// gathers in packets again.

namespace armature::wait {

/// Blocks while an operation of so many bytes is more than there may be, or another call waits for
/// room; one alone may be of any size. Before the operation is given a number: who waits may go to
/// another process.
void make_room_for_operation(std::size_t bytes, const char* call);
/// Whether a call does, so far as is known.
[[nodiscard]] bool somebody_waits_for_room();
/// How many are under way, and their bytes.
struct Outstanding {
  std::ptrdiff_t operations, bytes;
};
[[nodiscard]] Outstanding outstanding();
/// Ranks roll back to what they were: none is.
void forget_outstanding();

/// An operation that is under way, from begin() to end(), which may be called by whichever thread
/// ends it.
class Charge {
 public:
  Charge() = default;
  Charge(const Charge&) = delete;
  Charge& operator=(const Charge&) = delete;
  ~Charge() { end(); }
  void begin(std::size_t bytes);
  void end();

 private:
  std::size_t bytes_ = 0;
  std::uint64_t generation_ = 0;  // see forget_outstanding()
  // Who gives a peer up may end one that has just begun: release and acquire, for the two above.
  std::atomic<bool> is_under_way_ = false;
};

}  // namespace armature::wait
