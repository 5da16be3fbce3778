#pragma once

#include <csignal>
#include <optional>
#include <string>

#include "base/file_descriptor.hpp"

namespace armature::command {

/// The signals a launcher lives on, taken from a descriptor instead of in handlers: those it passes
/// on to the ranks, and SIGCHLD. While one of these exists they are blocked; children must undo
/// that (`restore`). What was ignored when the launcher was started, as by nohup or in a script's
/// background, stays so: from a descriptor it would be taken all the same.
class Signals {
 public:
  Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();

  struct Arrived {
    int number = 0;
    bool by_terminal = false;  // see is_by_terminal: the ranks have it
  };
  /// The next one that has arrived, or nothing.
  [[nodiscard]] std::optional<Arrived> next() const;
  [[nodiscard]] int fd() const { return fd_.get(); }

  /// Does to this process what SIGTSTP does to one that takes no care of it: like the ranks, it
  /// does not stop where no shell could continue it.
  void stop() const;

  /// Whether that one was blocked when the launcher was started.
  [[nodiscard]] bool was_blocked(int number) const { return sigismember(&old_mask_, number) == 1; }

  /// Gives a child, before exec, all as the launcher was given it. Async-signal-safe.
  void restore() const;

 private:
  sigset_t old_mask_{};
  struct sigaction old_pipe_ {};
  struct sigaction old_child_ {};
  base::FileDescriptor fd_;
};

/// Whether a terminal has sent that signal, with that si_code, to its whole foreground group. Keys
/// do so. SIGHUP goes to the leader of the session alone when the terminal goes away, and SIGCONT
/// with it.
bool is_by_terminal(int number, int code);

/// Whether this process takes no notice of it.
bool is_ignored(int number);

/// "SIGSEGV", or "SIG77" where it has no name.
std::string signal_name(int number);

}  // namespace armature::command
