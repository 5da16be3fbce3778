#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdlib>

#include "fibers/option_reader.hpp"

namespace armature::fibers {

struct OwnResults;

/// The attributes of a process, and states that the C library keeps for one, where a rank with a
/// copy of the program has its own: as if it were a process (POSIX.1-2017, 3.297). It lies in the
/// rank's heap.
struct OwnAttributes {
  // Attributes that differ from the process's, as the rank had them when it last ran.
  char* directory = nullptr;
  bool has_mask = false;  // of permissions (umask)
  mode_t mask = 0;
  char** environment = nullptr;  // variables, then nullptr
  std::size_t variables = 0, room = 0;

  // States from which functions of the C library go on.
  char* token = nullptr;  // strtok
  random_data random = {};
  char random_state[128] = {};  // as many bytes as rand begins with
  drand48_data random_48 = {};
  OptionState options;
  OptionVariables options_told;   // where the program names no variable for it
  OwnResults* results = nullptr;  // what functions have returned pointers to
};

/// The process's own attributes, beside those of its ranks.
class HostAttributes {
 public:
  /// A rank has some of its own: the process's are noted before that.
  void begin_use();
  /// Gives the process its own again.
  void leave(const OwnAttributes& of_rank) const;
  void enter(const OwnAttributes& of_rank) const;

 private:
  bool are_used_ = false;
  int directory_ = -1;
  mode_t mask_ = 0;
  char** environment_ = nullptr;
};

}  // namespace armature::fibers
