#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace armature::command {

/// One line of a readable stack.
struct Frame {
  std::uint64_t address = 0;
  std::string function;  // demangled, with its arguments; empty where there is no symbol
  std::string place;     // "file.cpp:12", or the name of the library
  bool inlined = false;
  std::string module = {};  // the file that it was loaded from
};

/// Stands for the function where the kernel called a signal handler.
inline constexpr const char* signal_return = "<signal>";

/// Finds out what the return addresses of a living process stand for, innermost first, from its
/// symbols and debug information. `took_ms_max` bounds the time spent on the latter.
std::vector<Frame> symbolise(int pid, std::span<const std::uint64_t> addresses, int took_ms_max);

/// Leaves out the frames of the machinery that caught the signal or exception, and of what called
/// main.
std::vector<Frame> without_machinery(std::vector<Frame> frames);

/// Leaves one of each row of frames of Armature's own: the outermost, which the program has called.
/// `keeps_first`: also the innermost frame of all, where it may be our own fault.
std::vector<Frame> with_own_folded(std::vector<Frame> frames, bool keeps_first);

/// Whether it is a line of the program: neither Armature's nor the system's, also where those are
/// inlined into it.
[[nodiscard]] bool is_of_program(const Frame& frame);

/// "  #0 function(args) at file:line" for each.
std::string text(const std::vector<Frame>& frames);

}  // namespace armature::command
