#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/file_descriptor.hpp"
#include "image/plan.hpp"

namespace armature::image {

/// The copies of the program, one for each rank, at the same addresses in every process. A copy's
/// data lies in its rank's segment, and goes where that goes. Its code is mapped from the program's
/// file by each process that runs the rank. Behind the copy lies what the rank has of thread-local
/// variables while it does not run.
class Copies {
 public:
  struct Places {
    std::byte* first;        // where the copy of rank 0 begins
    std::uint64_t distance;  // of a copy from the next one
    int count;
  };

  /// `originals` and their files are in the order of the plan's images.
  Copies(std::vector<Loaded> originals, Plan plan, const Places& places,
         std::vector<base::FileDescriptor> files);

  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] std::byte* of(int rank) const {
    return places_.first + static_cast<std::uint64_t>(rank) * places_.distance;
  }
  [[nodiscard]] std::byte* thread_locals_of(int rank) const { return of(rank) + plan_.bytes; }
  /// The places where the thread that runs ranks has them, in the order in which they lie in a
  /// copy.
  [[nodiscard]] std::span<const std::span<std::byte>> thread_locals() const {
    return thread_locals_;
  }
  /// The rank in whose copy that lies; -1: in none.
  [[nodiscard]] int owner(std::uintptr_t address) const;
  /// Whether some of those bytes are code or constants of a copy. Only processes that run its rank
  /// have mapped them: the others find zeros there.
  [[nodiscard]] bool text_holds(const void* address, std::size_t bytes) const;
  /// Whether some of those bytes are thread-local variables of the program. What is there is the
  /// variables of whichever rank runs.
  [[nodiscard]] bool thread_locals_hold(const void* address, std::size_t bytes) const;
  /// The program's own address for one in a copy; others are returned as they are.
  [[nodiscard]] std::uintptr_t original_of(std::uintptr_t address) const;
  /// The address in a rank's copy for one in the program; others are returned as they are.
  [[nodiscard]] std::uintptr_t own_of(int rank, std::uintptr_t address) const;

  /// Writes the data of a copy, into memory that holds zeros.
  void fill(int rank) const;
  /// Maps the code of a copy in this process. Throws Error(start) where the kernel cannot, with the
  /// number of memory areas that it allows.
  void map_text(int rank) const;
  // Called as the rank, as the C library does before main and after it:
  void construct(int rank, int argc, char** argv, char** variables) const;
  void destroy(int rank) const;

 private:
  void call_all(int rank, const Plan::Functions& functions, int argc, char** argv,
                char** variables) const;

  const std::vector<Loaded> originals_;
  const Plan plan_;
  const Places places_;
  const std::vector<base::FileDescriptor> files_;
  std::vector<std::span<std::byte>> thread_locals_;
};

/// How many memory areas the kernel lets a process have (vm.max_map_count); 2^64 - 1: unknown.
std::uint64_t areas_max();

/// Has exit() of copies call that first. It returns where the caller is in no rank's main.
void end_main_by(void (*end)(int status));
/// Calls it, if there is one.
void end_main(int status);

/// The copies of this process's program; nullptr: its ranks share the program's globals.
const Copies* copies();

/// Whether a process that reads those bytes in this rank's memory may find something else there.
bool is_text_of_copy(const void* address, std::size_t bytes);

/// Whether those bytes become another rank's while this one waits: thread-local variables.
bool is_exchanged(const void* address, std::size_t bytes);

/// Whether each rank is to have its own: ARMATURE_PRIVATE_GLOBALS. Throws Error(start) where that
/// is neither "on" nor "off" nor a list of images.
bool globals_are_private();
/// The plan of this process's program, made before the program ran. Throws Error(start) where it
/// cannot be copied.
Plan& plan_of_program();
/// Says where copies of the program are to lie; from now on copies() finds them.
const Copies& place_copies(const Copies::Places& places);

}  // namespace armature::image
