// The plan of a program is made before its constructors run: afterwards a variable that holds an
// address could hold another one. A library's constructors run then, when all is bound.
#include <fcntl.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "bootstrap/environment.hpp"
#include "image/copies.hpp"

namespace armature::image {
namespace {

constexpr const char* variable = bootstrap::private_globals_variable;

struct Program {
  std::optional<Plan> plan;
  std::string why_none =
      "libarmature was loaded after the program had begun: link it with the "
      "program";
  std::optional<Copies> copies;
};
Program& of_process() { return base::state<Program>(); }

bool holds_library(const Loaded& program) {
  const auto here = reinterpret_cast<std::uintptr_t>(&plan_of_program);
  return program.part_of(here - program.base) != nullptr;
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
  if (!file) base::fail(Errc::start, "--private-globals: /proc/self/exe cannot be read");
  return of_process().copies.emplace(Loaded::program(), std::move(plan_of_program()), places,
                                     std::move(file));
}

}  // namespace armature::image
