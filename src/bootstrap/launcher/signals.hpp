#pragma once

#include <csignal>
#include <optional>
#include <string>

#include "base/file_descriptor.hpp"

namespace armature::bootstrap {

/// The signals a launcher lives on, taken from a descriptor instead of in handlers: those it passes
/// on to the ranks, and SIGCHLD. While one of these exists they are blocked; children must undo
/// that (`restore`).
class Signals {
 public:
  Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();

  struct Arrived {
    int number = 0;
    bool by_terminal =
        false;  // the kernel has sent it to the whole foreground group: the ranks have it
  };
  /// The next one that has arrived, or nothing.
  [[nodiscard]] std::optional<Arrived> next() const;
  [[nodiscard]] int fd() const { return fd_.get(); }

  /// Does to this process what SIGTSTP does to one that takes no care of it: like the ranks, it
  /// does not stop where no shell could continue it.
  void stop() const;

  /// Whether that one was blocked when the launcher was started.
  [[nodiscard]] bool was_blocked(int number) const { return sigismember(&old_mask_, number) == 1; }

  /// In a child, before exec: mask and SIGPIPE as the launcher was given them. Async-signal-safe.
  void restore() const;

 private:
  sigset_t old_mask_{};
  struct sigaction old_pipe_ {};
  base::FileDescriptor fd_;
};

/// "SIGSEGV", or "SIG77" where it has no name.
std::string signal_name(int number);

}  // namespace armature::bootstrap
