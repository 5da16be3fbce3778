// The C library keeps what is to be called at the end for the process, which a rank may have left
// by then. getopt tells of what it has found in variables. Each copy has its own of them
// (image/plan.hpp, Borrowed and give).
#include "fibers/replaced_calls.hpp"

#include <cxxabi.h>
#include <getopt.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>

#include "base/fail.hpp"
#include "fibers/option_reader.hpp"
#include "fibers/rank_fiber.hpp"
#include "fibers/replaced_attributes.hpp"
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

/// Exchanges a value with the variable of that name that the calling rank's copy has, if it does.
template <class Value>
void exchange(const char* name, Value& value) {
  const image::Copies& copies = *image::copies();
  const int rank = wait::this_rank("getopt").space.me();
  if (const std::uint64_t at = copies.plan().own_at(name); at != 0)
    std::swap(*reinterpret_cast<Value*>(copies.of(rank) + at), value);
}
void exchange_all(OptionVariables& told) {
  exchange("optarg", told.argument);
  exchange("optind", told.index);
  exchange("opterr", told.prints);
  exchange("optopt", told.option);
}

/// The C library has one state of it for a process, in whose middle another rank may have its turn.
int read_own_option(const OptionCall& call) {
  (void)wait::this_rank("getopt");
  OwnAttributes* const mine = find_or_make_attributes();
  if (mine == nullptr) base::fail(Errc::out_of_memory, "getopt: no memory for what it keeps");
  exchange_all(mine->options_told);
  const int found = read_option(mine->options, mine->options_told, call);
  exchange_all(mine->options_told);
  return found;
}

std::span<char* const> arguments(int argc, char* const* argv) {
  return {argv, static_cast<std::size_t>(std::max(argc, 0))};
}

int get_option(int argc, char* const* argv, const char* letters) {
  return read_own_option({.arguments = arguments(argc, argv), .letters = letters});
}

int get_option_of_posix(int argc, char* const* argv, const char* letters) {
  return read_own_option(
      {.arguments = arguments(argc, argv), .letters = letters, .is_posix = true});
}

int get_option_long(int argc, char* const* argv, const char* letters, const option* words,
                    int* index) {
  return read_own_option({.arguments = arguments(argc, argv),
                          .letters = letters,
                          .words = words,
                          .word = index,
                          .names = OptionCall::Names::words});
}

int get_option_long_only(int argc, char* const* argv, const char* letters, const option* words,
                         int* index) {
  return read_own_option({.arguments = arguments(argc, argv),
                          .letters = letters,
                          .words = words,
                          .word = index,
                          .names = OptionCall::Names::words_by_one_dash});
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
  plan.replace("__posix_getopt", get_option_of_posix);
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
