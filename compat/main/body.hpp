#pragma once

#include <getopt.h>
#include <pthread.h>
#include <unistd.h>

#include <csetjmp>
#include <string>
#include <vector>

#include <armature/layer/program.hpp>
#include <armature/run.hpp>
#include <armature/virtual.hpp>

// A C program's main as the body of armature::run, so that ranks may be fibers or threads. There
// armature::run decides, by how the job was launched, what runs the ranks. Every rank gets
// arguments of its own: programs change them, and they must come along to other processes. exit()
// ends the rank's main alone: it goes back to where main was called, over frames that it does not
// clean up, which is what exit() promises.

namespace main_body {

using Main = int(int, char**, char**);

/// A rank's main. Each rank has its own.
struct Running {
  bool is_inside = false;
  pthread_t thread = {};
  int status = 0;
  std::jmp_buf end;
};

/// The strings of an array, elsewhere, with a null pointer behind them.
class Copies {
 public:
  Copies(int count, char** strings) : strings_(strings, strings + count) {
    for (std::string& string : strings_) pointers_.push_back(string.data());
    pointers_.push_back(nullptr);
  }
  [[nodiscard]] char** get() { return pointers_.data(); }

 private:
  std::vector<std::string> strings_;
  std::vector<char*> pointers_;
};

/// Runs the program, as the rank has it, and returns here from its exit().
inline int status_of(Running& here, Main* program, int argc, char** argv) {
  Copies arguments(argc, argv);
  optind = 1;  // the rank before has read its options
  here.thread = pthread_self();
  if (setjmp(here.end) == 0) {
    here.is_inside = true;
    here.status = armature::layer::own(program)(argc, arguments.get(), environ);
  }
  here.is_inside = false;
  return here.status;
}

/// Goes back to status_of, where the calling thread is in it, or the fiber that it runs; a fiber
/// may be in another process's only thread by now. Returns elsewhere.
inline void end(Running& here, int status) {
  const bool is_in_main = here.is_inside && (armature::rank_kind() == armature::RankKind::fiber ||
                                             pthread_equal(here.thread, pthread_self()) != 0);
  if (!is_in_main) return;
  here.status = status;
  std::longjmp(here.end, 1);
}

}  // namespace main_body
