#pragma once

#include <string>
#include <vector>

#include "base/file_descriptor.hpp"

namespace armature::bootstrap {

/// Knows which processes of a node have called armature::run, while they wait for the others and
/// can ask nobody: the launcher is silent until all have come. Each binds an abstract Unix socket
/// whose name is made of the job's and of its number, and so can be looked for. Hints, for
/// messages: anybody on the machine may take a name, and where none can be bound all seem to be
/// missing.
class Presence {
 public:
  /// `here`: the processes of this node, ascending; empty where that is not known.
  Presence(const std::string& job, int process, int processes, std::vector<int> here);

  /// Whether this process speaks for its node: none before it has come.
  [[nodiscard]] bool is_first() const;
  /// Tells whom the job waits for, in words; empty where that is not known. "process 1 has not
  /// called armature::run".
  [[nodiscard]] std::string whom_it_waits_for() const;
  /// Says that the job waits for nobody from now on.
  void all_have_come() { all_have_come_ = true; }

 private:
  [[nodiscard]] bool has_come(int process) const;

  std::string name_;
  int process_, processes_;
  bool all_have_come_ = false;
  std::vector<int> here_;
  base::FileDescriptor mine_;
};

}  // namespace armature::bootstrap
