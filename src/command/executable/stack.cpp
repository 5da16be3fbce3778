#include "command/executable/stack.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

// Reduces all frames to those that tell the reader something.

namespace armature::command {
namespace {

/// How libarmci ends the job where a call cannot answer with a code.
bool insists(std::string_view function) {
  return function.starts_with("armci::fatal(") || function.starts_with("insisted<") ||
         function.find(" armci::insisted<") != std::string_view::npos;
}

/// Frames between the fault and us: signal handling, exception handling, reports of mistakes.
bool is_machinery(std::string_view function) {
  static constexpr std::string_view names[] = {
      signal_return,          "abort",       "raise",         "gsignal",
      "pthread_kill",         "__GI_abort",  "__GI_raise",    "__assert_fail",
      "__GI___assert_fail",   "__cxa_throw", "__cxa_rethrow", "_Unwind_RaiseException",
      "__kernel_rt_sigreturn"};
  static constexpr std::string_view prefixes[] = {
      "armature::bootstrap::", "armature::abort(", "armature::base::",
      "std::terminate(",       "__cxxabiv1::",     "__gnu_cxx::__verbose_terminate_handler"};
  return std::find(std::begin(names), std::end(names), function) != std::end(names) ||
         std::any_of(std::begin(prefixes), std::end(prefixes),
                     [&](auto prefix) { return function.starts_with(prefix); }) ||
         insists(function);
}

bool is_run(std::string_view function) {
  return function.starts_with("armature::run<") || function.starts_with("int armature::run<");
}

/// How main, a thread or a fiber came to call the body of the program, and how std::function calls
/// a function.
bool is_plumbing(const Frame& frame) {
  static constexpr std::string_view prefixes[] = {"std::__invoke",
                                                  "std::function<",
                                                  "std::_Function_handler",
                                                  "armature::detail::run(",
                                                  "armature::hosting::",
                                                  "armature::fibers::RankScheduler::begin(",
                                                  "armature::fibers::Fiber::"};
  static constexpr std::string_view names[] = {
      "start_thread",           "__clone3",         "clone", "make_fcontext",
      "__libc_start_call_main", "__libc_start_main"};
  const std::string_view function = frame.function;
  const bool is_inlined_run = frame.inlined && frame.place.starts_with("armature/run.hpp:");
  return is_run(function) || is_inlined_run ||
         std::find(std::begin(names), std::end(names), function) != std::end(names) ||
         std::any_of(std::begin(prefixes), std::end(prefixes),
                     [&](auto prefix) { return function.starts_with(prefix); });
}

/// armature::run calls the body there: the compiler may have put the body itself in.
bool calls_body(const Frame& frame) {
  return !frame.inlined && is_run(frame.function) &&
         frame.function.find("::_FUN(") != std::string::npos;
}

/// Judges by the name: C++, and neither Armature nor the standard library.
bool is_programs(const Frame& frame) {
  const std::string_view name =
      std::string_view(frame.function).substr(0, frame.function.find('('));
  return name.size() < frame.function.size() && name.find("armature::") == std::string_view::npos &&
         !name.starts_with("std::");
}

bool is_main(std::string_view function) {
  return function == "main" || function.starts_with("main(");
}

/// Leaves out the frames between main and the body, which say nothing to the reader. The place
/// where the body is called does, where it is the last trace of the program.
void shorten_to_body(std::vector<Frame>& frames) {
  const auto body = std::find_if(frames.begin(), frames.end(), calls_body);
  if (body == frames.end()) return;
  const auto inner = std::find_if(std::make_reverse_iterator(body), frames.rend(),
                                  [](const Frame& frame) { return !is_plumbing(frame); });
  if (inner == frames.rend() || !is_programs(*inner)) body->function = "the body of armature::run";
  const auto outer_end = is_main(frames.back().function) ? frames.end() - 1 : frames.end();
  frames.erase(body + 1, std::max(body + 1, outer_end));
}

}  // namespace

std::vector<Frame> without_machinery(std::vector<Frame> frames) {
  constexpr std::ptrdiff_t depth_max = 24;
  const auto end = frames.begin() + std::min(depth_max, std::ssize(frames));
  auto first = frames.begin();
  for (auto frame = frames.begin(); frame != end; ++frame)
    if (is_machinery(frame->function)) first = frame + 1;
  if (first != frames.end()) frames.erase(frames.begin(), first);

  const auto main = std::find_if(frames.begin(), frames.end(),
                                 [](const Frame& frame) { return is_main(frame.function); });
  if (main != frames.end()) frames.erase(main + 1, frames.end());
  shorten_to_body(frames);
  std::erase_if(frames, is_plumbing);
  return frames;
}

/// "run<...>(int, char**)".
[[nodiscard]] static std::string without_template_arguments(const std::string& name) {
  std::string result;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool is_operator = result.ends_with("operator") || result.ends_with("operator<");
    if (name[i] == '<' && !is_operator) {
      if (depth++ == 0) result += "<...>";
    } else if (name[i] == '>' && depth > 0 && name[i - 1] != '-') {
      --depth;
    } else if (depth == 0) {
      result += name[i];
    }
  }
  return result;
}

namespace {

/// Judges by the library; and by the name, without what a function takes and of what its template
/// is made, where it is inlined or linked into the program. Inlined routines of shmem.h are C's.
bool is_own(const Frame& frame) {
  const std::string_view file = std::string_view(frame.module).substr(frame.module.rfind('/') + 1);
  if (file.starts_with("libarmature") || file.starts_with("libarmci")) return true;
  if (frame.inlined && frame.place.find("shmem_inlined.h:") != std::string::npos) return true;
  const std::string name = without_template_arguments(frame.function);
  return name.substr(0, name.find('(')).find("armature::") != std::string::npos;
}

bool is_of_system(const Frame& frame) {
  static constexpr std::string_view places[] = {"/lib/", "/lib64/", "/usr/lib/", "[", "linux-vdso"};
  return std::any_of(std::begin(places), std::end(places),
                     [&](auto place) { return frame.module.starts_with(place); });
}

}  // namespace

bool is_of_program(const Frame& frame) {
  const std::string_view name = frame.function;
  return frame.place.find(':') != std::string::npos && !name.empty() && !is_own(frame) &&
         !is_of_system(frame) && !is_machinery(name) && !is_plumbing(frame) &&
         !name.starts_with("std::");
}

std::vector<Frame> with_own_folded(std::vector<Frame> frames, bool keeps_first) {
  std::vector<Frame> folded;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const bool is_last = i + 1 == frames.size() || !is_own(frames[i + 1]);
    if ((i == 0 && keeps_first) || is_last || !is_own(frames[i]))
      folded.push_back(std::move(frames[i]));
  }
  return folded;
}

std::string text(const std::vector<Frame>& frames) {
  constexpr std::size_t name_max = 120;
  std::string result;
  for (std::size_t i = 0; i < frames.size();) {
    const Frame& frame = frames[i];
    std::string name = frame.function;
    if (name.empty()) name = fmt::format("{:#x}", frame.address);
    if (name.size() > name_max) name = without_template_arguments(name);
    result += fmt::format("  #{:<2} {}", i, name);
    if (frame.inlined) result += " (inlined)";
    if (!frame.place.empty()) result += " at " + frame.place;

    const std::size_t first = i++;  // of a run of the same: a recursion
    while (i < frames.size() && frames[i].function == frame.function &&
           frames[i].place == frame.place)
      ++i;
    if (i - first > 1) result += fmt::format(" ({} times)", i - first);
    result += '\n';
  }
  return result;
}

}  // namespace armature::command
