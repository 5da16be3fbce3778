// The C library keeps what is to be called at the end for the process, which a rank may have left
// by then. getopt tells of what it has found in variables. Each copy has its own of them
// (image/plan.hpp, Borrowed and give), and the C library writes to the process's. They are
// exchanged for the call.
#include "fibers/replaced_calls.hpp"

#include <cxxabi.h>
#include <getopt.h>

#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>

#include "base/fail.hpp"
#include "fibers/rank_fiber.hpp"
#include "image/copies.hpp"
#include "wait/rank_context.hpp"
#include "wait/wait.hpp"

namespace armature::fibers {
namespace {

/// `of_copy` lies in the copy that calls.
RankFiber& rank_of(const void* of_copy) {
  const int rank = image::copies()->owner(reinterpret_cast<std::uintptr_t>(of_copy));
  ARMATURE_ASSERT(rank >= 0);
  return RankFiber::of(*space::Mapping::of_process(), rank);
}

int note_at_exit(void (*function)(void*), void* argument, void* of_copy) {
  rank_of(of_copy).program.at_exit.add(function, argument);
  return 0;
}

/// Threads that a rank starts are the process's.
int note_at_thread_exit(void (*function)(void*), void* argument, void* of_copy) {
  if (!wait::runs_rank()) return abi::__cxa_thread_atexit(function, argument, of_copy);
  rank_of(of_copy).program.at_thread_exit.add(function, argument);
  return 0;
}

/// Does nothing: OwnProgram::end has called what was registered.
void finalize(void* /*of_copy*/) {}

int refuse_on_exit(void (* /*function*/)(int, void*), void* /*argument*/) { return -1; }
int refuse_at_quick_exit(void (* /*function*/)(void*), void* /*of_copy*/) { return -1; }

/// A library that is copied calls exit() for its rank, as the program does.
[[noreturn]] void end_rank(int status) {
  image::end_main(status);
  std::exit(status);
}

/// MPI's processes are those of the system: all ranks of a process would be the same one of them,
/// and the second one could not initialise it.
int refuse_mpi() {
  base::fail(
      Errc::misuse,
      "the program initialises MPI in a virtual rank: MPI counts processes, not the ranks that "
      "they host. Run it without --virtual, or compile it where there is no mpi.h: mp3.h then "
      "has ARMCI's own calls");
}

/// Streams stay in step with stdio: a copy's are copies of the library's, which know one way.
bool keep_in_step(bool /*wanted*/) { return true; }

/// The variables of getopt that the calling rank's copy has, in the place of the original's.
class OwnOptions {
 public:
  OwnOptions() : rank_(wait::this_rank("getopt").space.me()) { exchange(); }
  OwnOptions(const OwnOptions&) = delete;
  OwnOptions& operator=(const OwnOptions&) = delete;
  ~OwnOptions() { exchange(); }

 private:
  template <class Value>
  void exchange(const char* name, Value& of_process) const {
    const image::Copies& copies = *image::copies();
    if (const std::uint64_t at = copies.plan().own_at(name); at != 0)
      std::swap(*reinterpret_cast<Value*>(copies.of(rank_) + at), of_process);
  }
  void exchange() const {
    exchange("optarg", optarg);
    exchange("optind", optind);
    exchange("opterr", opterr);
    exchange("optopt", optopt);
  }
  const int rank_;
};

int get_option(int argc, char* const* argv, const char* letters) {
  const OwnOptions own;
  return getopt(argc, argv, letters);
}

int get_option_long(int argc, char* const* argv, const char* letters, const option* words,
                    int* index) {
  const OwnOptions own;
  return getopt_long(argc, argv, letters, words, index);
}

int get_option_long_only(int argc, char* const* argv, const char* letters, const option* words,
                         int* index) {
  const OwnOptions own;
  return getopt_long_only(argc, argv, letters, words, index);
}

}  // namespace

void replace_calls(image::Plan& plan) {
  plan.replace("__cxa_atexit", note_at_exit);
  plan.replace("__cxa_thread_atexit", note_at_thread_exit);
  plan.replace("__cxa_thread_atexit_impl", note_at_thread_exit);
  plan.replace("__cxa_finalize", finalize);
  plan.replace("on_exit", refuse_on_exit);
  plan.replace("__cxa_at_quick_exit", refuse_at_quick_exit);
  plan.replace("_ZNSt8ios_base15sync_with_stdioEb", keep_in_step);
  plan.replace("exit", end_rank);
  for (const char* const name : {"MPI_Init", "MPI_Init_thread", "mpi_init_", "mpi_init_thread_"})
    plan.replace(name, refuse_mpi);
  plan.replace("getopt", get_option);
  plan.replace("getopt_long", get_option_long);
  plan.replace("getopt_long_only", get_option_long_only);
  // Programs that are compiled with -fPIC do not have them in themselves.
  const auto give = [&plan](const char* name, const auto& value) {
    plan.give(name, std::as_bytes(std::span(&value, 1)));
  };
  give("optarg", static_cast<char*>(nullptr));
  give("optind", 1);
  give("opterr", 1);
  give("optopt", int{'?'});
}

}  // namespace armature::fibers
