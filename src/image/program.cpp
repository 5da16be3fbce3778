// The plan of a program is made before its constructors run: afterwards a variable that holds an
// address could hold another one. A library's constructors run then, when all is bound.
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "bootstrap/environment.hpp"
#include "bootstrap/private_globals.hpp"
#include "image/copies.hpp"
#include "image/libraries.hpp"
#include "image/variables.hpp"

namespace armature::image {
namespace {

constexpr const char* variable = bootstrap::private_globals_variable;

struct Program {
  static constexpr std::size_t runtime_place = 6;  // transfers between nodes ask

  std::vector<Loaded> images;  // that are copied, the program first
  std::optional<Plan> plan;
  std::string why_none =
      "libarmature was loaded after the program had begun: link it with the "
      "program";
  std::optional<Copies> copies;
  void (*end_main)(int status) = nullptr;
};
Program& of_process() { return base::state<Program>(); }

[[gnu::constructor]] void plan_program_once() {
  const bootstrap::PrivateGlobals wanted = bootstrap::PrivateGlobals::of_environment();
  if (!wanted.are_on) return;
  Program& program = of_process();
  try {
    program.images = copied_images(wanted);
    if (holds_library(program.images.front()))
      base::fail(Errc::start,
                 "--private-globals: the program has Armature in it, of which a process has one: "
                 "link it with the shared libraries (libarmci.so, libarmature.so)");
    // The libraries' code may have run by now, and the program's has not.
    std::vector<base::FileDescriptor> files;
    if (program.images.size() > 1) files = files_of(program.images);
    for (std::size_t i = 1; i < program.images.size(); ++i) program.images[i].file = files[i].get();
    // A named library's constructor may have written to variables that the program has, too.
    if (!wanted.libraries.empty()) program.images.front().file = files.front().get();
    program.plan = plan(program.images);
  } catch (const Error& error) {
    program.why_none = error.what();
  }
}

}  // namespace

void end_main_by(void (*end)(int status)) { of_process().end_main = end; }
void end_main(int status) {
  if (of_process().end_main != nullptr) of_process().end_main(status);
}

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
  const char* const text = std::getenv(variable);
  if (text != nullptr && !bootstrap::PrivateGlobals::parse(text))
    base::fail(Errc::start, fmt::format("{}: '{}' is none of {}", variable, text,
                                        bootstrap::private_globals_forms));
  return bootstrap::PrivateGlobals::of_environment().are_on;
}

Plan& plan_of_program() {
  if (!of_process().plan) base::fail(Errc::start, of_process().why_none);
  return *of_process().plan;
}

const Copies& place_copies(const Copies::Places& places) {
  Program& program = of_process();
  std::vector<base::FileDescriptor> files = files_of(program.images);
  return program.copies.emplace(program.images, std::move(plan_of_program()), places,
                                std::move(files));
}

}  // namespace armature::image
