// A C program's main as the body of armature::run, so that ranks may be fibers or threads: what
// libarmci-virtual.a (virtual/main.c) puts in the place of main. There armature::run decides, by
// how the job was launched, what runs the ranks. Every rank gets arguments of its own: programs
// change them, and they must come along to other processes. exit() ends the rank's main alone: it
// goes back to where main was called, over frames that it does not clean up, which is what exit()
// promises.

#include <getopt.h>
#include <pthread.h>
#include <unistd.h>

#include <csetjmp>
#include <string>
#include <vector>

#include <armature/layer/program.hpp>
#include <armature/run.hpp>
#include <armature/virtual.hpp>

#include "job.hpp"
#include "of_rank.hpp"

namespace {

using Main = int(int, char**, char**);

struct Running {
  bool is_inside = false;
  pthread_t thread = {};
  int status = 0;
  std::jmp_buf end;
};

armci::OfRank<Running> running;

/// The strings of a null-terminated array, elsewhere.
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

/// Runs the program, and returns here from its exit().
int status_of(Main* program, int argc, char** argv) {
  Running& here = *running;
  here.thread = pthread_self();
  if (setjmp(here.end) == 0) {
    here.is_inside = true;
    here.status = program(argc, argv, environ);
  }
  here.is_inside = false;
  return here.status;
}

/// A fiber may be in another process's only thread by now.
bool is_in_main() {
  return armature::initialized() && running->is_inside &&
         (armature::rank_kind() == armature::RankKind::fiber ||
          pthread_equal(running->thread, pthread_self()) != 0);
}

}  // namespace

extern "C" {

/// Calls `program`, which is a main, as every rank of this process; returns its exit status.
int armci_run_main(int argc, char** argv, Main* program) {
  armci::is_of_rank = true;
  return armature::run(argc, argv, [=](armature::World& /*world*/) {
    Copies arguments(argc, argv);
    optind = 1;  // the rank before has read its options
    const int status = status_of(armature::layer::own(program), argc, arguments.get());
    armci::end_main(status);
    return status;
  });
}

/// exit() in a main that armci_run_main runs; returns where the caller is not in one.
void armci_exit_main(int status) {
  if (!is_in_main()) return;
  running->status = status;
  std::longjmp(running->end, 1);
}

}  // extern "C"
