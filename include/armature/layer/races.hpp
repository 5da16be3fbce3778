#pragma once

#include <cstddef>

#include "armature/detail/export.hpp"
#include "armature/rank.hpp"

// The look for accesses of two ranks to the same memory that nothing orders (`armature run --check`
// and `--simulate`, on one node). The library tells it of its own calls. A layer tells it what only
// the layer knows. Where nobody looks, these calls do nothing. By the rank's own thread.

namespace armature::layer {

/// Whether accesses are looked at. The same at all ranks.
[[nodiscard]] ARMATURE_API bool looks_for_races();

/// Has nobody look from now on: the layer's programs order accesses in ways of which the library
/// does not hear. At all ranks, before their accesses. `armature run --races` looks all the same.
ARMATURE_API void do_not_look_for_races();

/// From now on two puts to one rank are not ordered by themselves, and a later word does not tell
/// of an earlier put: only a fence or a barrier completes it. At all ranks.
ARMATURE_API void order_strictly();

/// While it lives, barriers of this rank complete no puts: they only wait for each other.
class ARMATURE_API KeepPuts {
 public:
  KeepPuts();
  KeepPuts(const KeepPuts&) = delete;
  KeepPuts& operator=(const KeepPuts&) = delete;
  ~KeepPuts();
};

/// The rank has looked at words of its memory, and goes on by what others have put there: what they
/// had done before lies behind it.
ARMATURE_API void has_seen(const void* words, std::size_t bytes);

/// The program reads or writes memory of `owner` by loads and stores. Throws Error(misuse) that
/// names both places where an access of another rank is not ordered with it. `place`: the return
/// address of a call that stands for the load or store.
ARMATURE_API void reads(Rank owner, const void* begin, std::size_t bytes, const void* place);
ARMATURE_API void writes(Rank owner, const void* begin, std::size_t bytes, const void* place);

/// The process's variables from `begin` on are those at `in_segment`, too.
ARMATURE_API void variables_are_in_segment(const void* begin, std::size_t bytes,
                                           const void* in_segment);

}  // namespace armature::layer
