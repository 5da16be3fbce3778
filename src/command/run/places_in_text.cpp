#include "command/run/places_in_text.hpp"

#include <charconv>
#include <string_view>
#include <system_error>
#include <vector>

#include "command/executable/stack.hpp"

namespace armature::command {
namespace {

constexpr std::string_view begin_of_place = "{at ";

/// Takes a number and the character behind it off the text; false where there is none.
bool take(std::string_view& text, std::uint64_t& number, int base, char behind) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end == text.data() + text.size() || *end != behind) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return true;
}

/// The innermost line of the program, else the innermost of all.
std::string place_of(std::string_view text, const space::Control& control) {
  constexpr int symbols_ms_max = 400;
  std::uint64_t rank = 0, address = 0;
  if (!take(text, rank, 10, ':') || rank >= control.header().ranks) return "an unknown place";
  std::vector<std::uint64_t> addresses;
  while (take(text, address, 16, ',')) addresses.push_back(address);
  const int pid = control.slot(static_cast<int>(rank)).pid.load(std::memory_order_relaxed);
  const std::vector<Frame> frames = symbolise(pid, addresses, symbols_ms_max);
  for (const Frame& frame : frames)
    if (is_of_program(frame)) return frame.place;
  return frames.empty() ? "an unknown place" : frames.front().place;
}

}  // namespace

std::string with_places(const std::string& text, const space::Control& control) {
  std::string said;
  std::size_t done = 0;
  for (std::size_t at; (at = text.find(begin_of_place, done)) != std::string::npos;) {
    const std::size_t end = text.find('}', at);
    if (end == std::string::npos) break;
    said += text.substr(done, at - done);
    const std::size_t inner = at + begin_of_place.size();
    said += place_of(std::string_view(text).substr(inner, end - inner), control);
    done = end + 1;
  }
  return said + text.substr(done);
}

}  // namespace armature::command
