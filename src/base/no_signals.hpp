#pragma once

#include <pthread.h>

#include <csignal>

namespace armature::base {

/// Keeps signals from the calling thread while it lives, and for ever from threads that it starts
/// meanwhile: signals are the program's, whose own threads take them.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace armature::base
