#pragma once

#include <cstddef>

#include "space/mapping.hpp"

namespace armature::failure {

/// Reports deaths from now on. If a signal kills this process, or nobody catches an exception, the
/// launcher is told before the process dies: what it was, and the return addresses on the stack.
/// The rank that says it is the one that the dying thread runs, else `first_rank`. Handlers that
/// the program has installed itself are left alone. `has_launcher` false: the process says it
/// itself on stderr.
void install_crash_reports(const space::Mapping& job, int first_rank, bool has_launcher);

/// A stack of its own for the calling thread's signal handlers: one that has run out of stack can
/// still say so.
class SignalStack {
 public:
  SignalStack();
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;
  ~SignalStack();

 private:
  static constexpr std::size_t bytes = 64 * 1024;
  void* stack_;
};

/// Says `text` as the reason for the end of the job and leaves with `status`.
[[noreturn]] void die(int status, const char* text);
/// Says `text` as the reason for the end of the job, which has not failed, and leaves.
[[noreturn]] void end_job(const char* text);
/// Ends the process without a stack: it is not this process that something is wrong with.
[[noreturn]] void give_up(int status, const char* text);

}  // namespace armature::failure
