#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "base/file_descriptor.hpp"

namespace armature::bench {

/// Somebody has told this program to end, by that signal; what it had started has ended.
struct Interrupted {
  int signal = 0;
};

/// A command that was started. A signal that tells this program to end is passed on to the command;
/// this program waits for its end, and clears up what it has made.
class Process {
 public:
  /// Starts the command. Its standard output goes to that file, if any; that variable is in its
  /// environment, if any. Throws Interrupted instead where this program has been told to end.
  explicit Process(std::vector<std::string> command, int output = -1, std::string variable = {});
  Process(Process&& other) noexcept;
  Process& operator=(Process&&) = delete;
  ~Process();

  /// Waits for the end. `on_input` is called when there is something to be read from that file, and
  /// after the end. Throws Interrupted, and std::runtime_error unless it was a success.
  void expect_success(int input = -1, const std::function<void()>& on_input = {});

 private:
  int await(int input, const std::function<void()>& on_input);

  pid_t pid_ = 0;
  base::FileDescriptor ended_;
};

}  // namespace armature::bench
