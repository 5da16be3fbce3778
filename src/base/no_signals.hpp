#pragma once

#include <pthread.h>

#include <csignal>

namespace armature::base {

/// While there is one, the calling thread takes no signals, nor does ever a thread that it starts
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
