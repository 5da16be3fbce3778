// A program of other people's becomes many ranks that move all the time, and knows nothing of it.
// The compiler has each of its functions call here first (-finstrument-functions). What it writes
// to the standard output goes to a file of the rank (OUTPUTS/out.RANK), since ranks share the
// standard output; how often the rank has moved, to OUTPUTS/moves.RANK. Each rank has a folder to
// work in.
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <armature/armature.hpp>
#include <armature/virtual.hpp>

namespace {

using Clock = std::chrono::steady_clock;

struct Mover {
  static constexpr std::chrono::milliseconds every{10};

  Clock::time_point last = Clock::now();
  long moves = 0;
  int calls = 0, to = 0;
  bool is_rank = false, is_busy = false;

  static std::string path(const char* what) {
    return std::string(std::getenv("OUTPUTS")) + "/" + what + "." +
           std::to_string(static_cast<int>(armature::world().rank()));
  }
  void start() {
    is_rank = true;
    to = static_cast<int>(armature::world().rank()) % 2;
    stdout = std::fopen(path("out").c_str(), "w");
    if (stdout == nullptr) armature::abort(1, "the rank's output cannot be written");
    // Programs write files of fixed names where they are.
    const std::string folder = path("folder");
    if (mkdir(folder.c_str(), 0700) != 0 || chdir(folder.c_str()) != 0)
      armature::abort(1, "the rank has no folder of its own");
  }
  void look() {
    if (is_busy || (++calls & 63) != 0) return;
    is_busy = true;
    if (!is_rank) start();
    if (Clock::now() - last >= every) {
      to = 1 - to;
      armature::migrate(armature::ProcessId(to % armature::hosting_processes()));
      ++moves;
      // While the others had their turns the rank has not run.
      last = Clock::now();
    }
    is_busy = false;
  }
  ~Mover() {
    is_busy = true;
    if (!is_rank) return;  // of the process
    std::fclose(stdout);
    if (std::FILE* const file = std::fopen(path("moves").c_str(), "w")) {
      std::fprintf(file, "%ld\n", moves);
      std::fclose(file);
    }
  }
};
Mover mover;

}  // namespace

extern "C" {

void __cyg_profile_func_enter(void*, void*) { mover.look(); }
void __cyg_profile_func_exit(void*, void*) {}

// The C library writes to its own standard output.
int __wrap_printf(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const int written = std::vfprintf(stdout, format, arguments);
  va_end(arguments);
  return written;
}
int __wrap_vprintf(const char* format, std::va_list arguments) {
  return std::vfprintf(stdout, format, arguments);
}
int __wrap_puts(const char* text) { return std::fprintf(stdout, "%s\n", text); }
int __wrap_putchar(int letter) { return std::fputc(letter, stdout); }

}  // extern "C"
