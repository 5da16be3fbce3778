#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/file_descriptor.hpp"
#include "command/run/binding.hpp"
#include "command/run/signals.hpp"
#include "space/job_memory.hpp"

namespace armature::command {

/// Gives segments consecutive descriptors, as ranks expect them, whatever descriptors we have
/// inherited.
void line_up(std::vector<base::FileDescriptor>& segments);

/// The ranks that one process hosts: first, first + 1, ...
struct Hosted {
  int first = 0;
  int count = 1;
  int joins_as = -1;  // of a process that joins later: its number. It hosts none yet

  /// "3", or "4-7", or "process 2".
  [[nodiscard]] std::string numbers() const;
};

/// Starts the ranks' processes. With vfork, since a launcher that waits for its child's exec needs
/// no copy of its page tables: half a millisecond a rank. Each dies with the launcher, even when
/// that is killed. So does, once it has joined, what a script has started in its place: it has one
/// end of a pipe whose other end is open here alone.
class Spawner {
 public:
  struct Job {
    std::string path;
    const std::vector<std::string>& command;
    const std::vector<space::JobMemory>& memory;  // of each node
    int store = -1;                               // with several nodes
    const Signals& signals;
    Binding binding;
    bool same_layout = false;   // their first stacks begin at the same address
    std::vector<int> networks;  // descriptors of the nodes' network namespaces; -1: ours
  };
  explicit Spawner(Job job);

  struct Output {  // where a process's output goes: -1 for where ours goes
    int out = -1;
    int err = -1;
  };
  struct Started {
    pid_t pid = -1;
    int error = 0;  // errno of what failed; the child is gone then
  };
  [[nodiscard]] Started start(Hosted ranks, int node, Output output);

 private:
  struct Child;
  [[nodiscard]] std::vector<unsigned long> mask_of(Hosted ranks) const;
  void add_padding();
  [[noreturn]] void become(const Child& child, volatile int& error) const;

  Job job_;
  const bool holds_requests_;  // to end
  base::FileDescriptor null_;
  base::FileDescriptor life_, ours_of_life_;  // the pipe
  pid_t launcher_;
  std::vector<char*> arguments_;
  std::vector<std::string> variables_;
  std::vector<char*> environment_;  // ends with our variables and a null pointer
};

}  // namespace armature::command
