#pragma once

#include <atomic>
#include <cstddef>

#include "fibers/own_attributes.hpp"

namespace armature::fibers {

/// A rank's own copy of the program (image/copies.hpp), where it has one. The copy lies at the end
/// of its segment: the rest of the rank's heap ends before it. Its data are pages of the segment.
/// The copy's code is mapped over pages of the segment that nobody has touched. They are no memory:
/// they do not move, and are not written with the rank.
struct OwnProgram {
  /// Functions that are to be called at the rank's end, the last one first.
  class AtExit {
   public:
    /// Any thread of the rank may call it.
    void add(void (*function)(void* argument), void* argument);
    /// A function may have another one called behind it. By the rank alone.
    void call_all();

   private:
    struct One {
      One* next;
      void (*function)(void* argument);
      void* argument;
    };
    std::atomic<One*> last_ = nullptr;
  };

  /// How much of the end of each segment it takes; 0: ranks share the program.
  [[nodiscard]] static std::size_t bytes();
  /// Makes the rank's; does nothing where ranks share the program.
  void make(int of_rank);
  /// Maps its code in this process. Throws Error(start).
  void map_code() const;
  // As the rank, before what was the program's main and after it:
  void begin(int argc, char** argv) const;
  void end();

  int rank = -1;                       // that has it; -1: it shares the program
  std::byte* thread_locals = nullptr;  // valid while the rank does not run
  AtExit at_thread_exit, at_exit;
  OwnAttributes* attributes = nullptr;  // nullptr: all are the process's
};

}  // namespace armature::fibers
