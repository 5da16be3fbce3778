// The plan of a program is made before its constructors run: afterwards a variable that holds an
// address could hold another one. A library's constructors run then, when all is bound.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "bootstrap/environment.hpp"
#include "image/copies.hpp"
#include "image/variables.hpp"

namespace armature::image {
namespace {

constexpr const char* variable = bootstrap::private_globals_variable;

struct Program {
  static constexpr std::size_t runtime_place = 6;  // transfers between nodes ask

  std::optional<Plan> plan;
  std::string why_none =
      "libarmature was loaded after the program had begun: link it with the "
      "program";
  std::optional<Copies> copies;
};
Program& of_process() { return base::state<Program>(); }

/// Whether the file holds that program, and not the loader that was told to start it.
bool holds(const base::FileDescriptor& file, const Loaded& program) {
  ElfW(Ehdr) head{};
  std::vector<ElfW(Phdr)> headers(program.headers.size());
  const auto bytes = static_cast<ssize_t>(program.headers.size_bytes());
  return pread(file.get(), &head, sizeof head, 0) == ssize_t{sizeof head} &&
         head.e_phnum == headers.size() &&
         pread(file.get(), headers.data(), program.headers.size_bytes(),
               static_cast<off_t>(head.e_phoff)) == bytes &&
         std::memcmp(headers.data(), program.headers.data(), program.headers.size_bytes()) == 0;
}

[[gnu::constructor]] void plan_program_once() {
  const char* const wanted = std::getenv(variable);
  if (wanted == nullptr || std::string_view(wanted) != "on") return;
  const Loaded program = Loaded::program();
  try {
    if (holds_library(program))
      base::fail(Errc::start,
                 "--private-globals: the program has Armature in it, of which a process has one: "
                 "link it with the shared libraries (libarmci.so, libarmature.so)");
    of_process().plan = plan(program);
  } catch (const Error& error) {
    of_process().why_none = error.what();
  }
}

}  // namespace

const Copies* copies() {
  Program* const program = base::Runtime::here().find<Program>();
  return program != nullptr && program->copies ? &*program->copies : nullptr;
}

bool is_text_of_copy(const void* address, std::size_t bytes) {
  const Copies* const all = copies();
  return all != nullptr && all->text_holds(address, bytes);
}

bool is_exchanged(const void* address, std::size_t bytes) {
  const Copies* const all = copies();
  return all != nullptr && all->thread_locals_hold(address, bytes);
}

bool globals_are_private() {
  const char* const wanted = std::getenv(variable);
  const std::string_view text = wanted == nullptr ? "off" : wanted;
  if (text != "on" && text != "off")
    base::fail(Errc::start, fmt::format("{}: '{}' is neither on nor off", variable, text));
  return text == "on";
}

Plan& plan_of_program() {
  if (!of_process().plan) base::fail(Errc::start, of_process().why_none);
  return *of_process().plan;
}

const Copies& place_copies(const Copies::Places& places) {
  base::FileDescriptor file(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  const Loaded program = Loaded::program();
  if (!file) base::fail(Errc::start, "--private-globals: /proc/self/exe cannot be read");
  if (!holds(file, program))
    base::fail(Errc::start,
               "--private-globals: /proc/self/exe is not the program, whose code is mapped from "
               "there: start the program itself, not the loader (ld-linux-x86-64.so.2)");
  return of_process().copies.emplace(program, std::move(plan_of_program()), places,
                                     std::move(file));
}

}  // namespace armature::image
