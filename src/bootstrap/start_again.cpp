// Our launcher makes processes alike before it starts them (address_layout.hpp). Under another one
// each does so for itself: what is decided when a program starts can be had by starting it again.
// The new start comes before main, when the program has done nothing yet.
#include "bootstrap/start_again.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "armature/detail/export.hpp"
#include "base/checksum.hpp"
#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "base/valgrind.hpp"
#include "base/variable.hpp"
#include "base/words_of_process.hpp"
#include "bootstrap/address_layout.hpp"
#include "bootstrap/door_program.hpp"
#include "bootstrap/environment.hpp"
#include "bootstrap/process_table.hpp"

extern "C" char** environ;  // NOLINT(readability-redundant-declaration)

/// The library finds itself by it among what came with the program.
extern "C" ARMATURE_API void armature_came_with_program() {}

namespace armature::bootstrap {
namespace {

struct Lateness {
  bool came_late = false;
};

/// Whether the program has not begun yet. What it loads itself is not among what it came with while
/// its constructors run, whether that will be for all to see or not.
bool is_before_main() {
  Dl_info self;
  link_map* mine = nullptr;
  const auto symbol = reinterpret_cast<void*>(&armature_came_with_program);
  if (dladdr1(symbol, &self, reinterpret_cast<void**>(&mine), RTLD_DL_LINKMAP) == 0) return true;
  void* const program = dlopen(nullptr, RTLD_LAZY);
  link_map* main = nullptr;
  const bool is_in_it = dlinfo(program, RTLD_DI_LINKMAP, &main) == 0 && mine == main;
  const bool came_with_it = dlsym(program, "armature_came_with_program") == symbol;
  dlclose(program);
  return is_in_it || came_with_it;
}

/// The name by which all processes of one launcher's job know it. Where that launcher started
/// another one, the latter's names may differ from node to node. Empty where they know none.
std::string name_of_job() {
  for (const std::initializer_list<const char*> parts :
       {std::initializer_list<const char*>{"PMIX_NAMESPACE"}, {"SLURM_JOB_ID", "SLURM_STEP_ID"}}) {
    std::string name;
    for (const char* part : parts)
      if (const char* const value = std::getenv(part)) name += value + std::string(" ");
    if (!name.empty()) return name;
  }
  return {};
}

/// All processes of a job must have the same, and cannot speak with each other yet. It is what
/// `armature run --hosts` has chosen, else made of the job's name, which others may know.
std::string secrets_in_common() {
  if (const char* const chosen = std::getenv(secrets_variable)) return chosen;
  const std::string name = std::to_string(getuid()) + name_of_job();
  const auto half = [&](std::uint64_t number) {
    return base::checksum(name.data(), name.size(), number);
  };
  return fmt::format("{:016x}{:016x}", half(0), half(1));
}

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> all;
  for (const std::string& text : texts) all.push_back(text.c_str());
  return all;
}

/// Refuses before the sanitizer says it, in words of its own.
void refuse_address_sanitizer(const std::string& path) {
  if (!has_malloc_of_ranks() || dlsym(RTLD_DEFAULT, "__asan_init") == nullptr) return;
  std::fprintf(stderr, "armature: %s %s\n", path.c_str(), address_sanitizer_text);
  _exit(1);
}

void start_again() {
  const std::string path = std::filesystem::read_symlink("/proc/self/exe");
  refuse_address_sanitizer(path);
  const std::vector<std::string> words = base::words_of_process();
  if (base::number_variable("ARMATURE_CHECK").value_or(0) == 0)
    make_globals_private_by_default(path);
  fix_address_layout(secrets_in_common());
  std::vector<std::string> environment(
      environ, environ + [] {
        std::ptrdiff_t count = 0;
        while (environ[count] != nullptr) ++count;
        return count;
      }());
  for (auto& variable : padding_for(path, pointers(words), pointers(environment)))
    environment.push_back(std::move(variable));
  std::vector<const char*> arguments = pointers(words), variables = pointers(environment);
  arguments.push_back(nullptr);
  variables.push_back(nullptr);
  // If it fails, the ranks stay in their processes, and say why when they are to move.
  execve(path.c_str(), const_cast<char**>(arguments.data()), const_cast<char**>(variables.data()));
}

[[gnu::constructor]] void start_again_once() {
  const bool is_wanted =
      std::getenv(virtual_variable) != nullptr && std::getenv(rank_variable) == nullptr;
  const bool has_been = std::getenv(padding_variable) != nullptr;
  for (const char* variable : {padding_variable, even_variable}) unsetenv(variable);
  // A program that starts itself again leaves valgrind: this one does not.
  if (!is_wanted || has_been || base::on_valgrind) return;
  if (!is_before_main()) {  // what the program has done so far is not to be done twice
    base::state<Lateness>().came_late = true;
    return;
  }
  try {
    start_again();
  } catch (const std::exception&) {  // as above
  }
}

/// Read once and removed: a program that this one starts is not of the job.
struct Wanted {
  Wanted() {
    const std::uint64_t number = base::number_variable(virtual_variable).value_or(0);
    if (number > ranks_max)
      base::fail(Errc::start, fmt::format("{}={} is not possible: 1 to {} virtual ranks are",
                                          virtual_variable, number, ranks_max));
    ranks = static_cast<int>(number);
    if (const char* const folder = std::getenv(restart_variable)) restart = folder;
    for (const char* variable : {virtual_variable, restart_variable, secrets_variable})
      unsetenv(variable);
  }
  int ranks = 0;
  std::string restart;
};

}  // namespace

int virtual_ranks_wanted() { return base::state<Wanted>().ranks; }
bool has_come_late() { return base::state<Lateness>().came_late; }
const std::string& restart_wanted() { return base::state<Wanted>().restart; }

}  // namespace armature::bootstrap
