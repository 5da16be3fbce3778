#include "command/run/ending.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstring>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "command/explain/observe.hpp"
#include "command/run/signals.hpp"
#include "space/virtual_segment.hpp"

namespace armature::command {
namespace {

using space::Life;

constexpr int status_of_signal(int signal) { return 128 + signal; }

/// "address 0x10", and in whose memory it lies when it is in a segment.
struct Place {
  std::string text;
  bool is_explained = false;  // the text says all that there is to say
};
Place place(std::uint64_t address, const space::Control& control, int node) {
  std::string text = fmt::format("address {:#x}", address);
  const int owner = SegmentFiles::owner(control.header(), address);
  if (owner < 0) return {text};
  if (control.slot(owner).node != node)
    return {
        text + fmt::format(", memory of rank {}, which is on another node: it cannot be touched "
                           "directly. Use put and get",
                           owner),
        true};
  const space::ControlHeader& header = control.header();
  const auto number = static_cast<std::uint64_t>(owner);
  const space::VirtualSegment segment(header);
  const std::uint64_t stack =
      header.layout.segment_base + number * header.layout.segment_bytes + segment.stack_low(number);
  if (header.layout.stack_bytes != 0 && address < stack && address >= stack - segment.guard_bytes)
    return {text + fmt::format(", {} below the stack of rank {}, which is full: it has {}, and "
                               "armature run --stack-size BYTES gives more",
                               stack - address <= space::stack_guard_bytes
                                   ? std::string("just")
                                   : base::readable_bytes(stack - address),
                               owner, base::readable_bytes(header.layout.stack_bytes)),
            true};
  const detail::SegmentView& view = control.segments()[owner];
  const bool allocated = address - view.begin < view.extent;
  return {text + fmt::format(", in the segment of rank {}, {}", owner,
                             allocated ? "where it has memory" : "where it has allocated nothing")};
}

/// A stack that is full grows into unmapped memory: the same function over and over.
bool is_recursion(const std::vector<std::uint64_t>& frames) {
  constexpr std::size_t same_min = 16;
  std::size_t same = 0;
  for (std::size_t i = 1; i < frames.size(); ++i) {
    same = frames[i] == frames[i - 1] ? same + 1 : 0;
    if (same >= same_min) return true;
  }
  return false;
}

/// "address # of rank #": every number is one character, hexadecimal ones after their 0x.
std::string without_numbers(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const bool is_hexadecimal = text.compare(i, 2, "0x") == 0;
    std::size_t end = is_hexadecimal ? i + 2 : i;
    const auto is_digit = [&](unsigned char c) {
      return (is_hexadecimal ? std::isxdigit(c) : std::isdigit(c)) != 0;
    };
    while (end < text.size() && is_digit(static_cast<unsigned char>(text[end]))) ++end;
    result += end == i ? text[i] : '#';
    i = std::max(end, i + 1);
  }
  return result;
}

}  // namespace

bool are_alike(const Ending& a, const Ending& b) {
  return a.status == b.status && without_numbers(a.how) == without_numbers(b.how);
}

std::optional<Words> read_words(const space::Control& control, int rank) {
  if (control.slot(rank).said.load(std::memory_order_acquire) != 1) return std::nullopt;
  const space::CrashReport& words = control.crash_report(rank);
  Words copy{.signal = words.signal,
             .status = words.status,
             .was_sent = words.was_sent != 0,
             .is_well = words.is_well != 0,
             .fault_address = words.fault_address,
             .frames = {},
             .text = std::string(words.text, strnlen(words.text, space::CrashReport::text_max))};
  const std::size_t frames = std::min<std::size_t>(words.frames, space::CrashReport::frames_max);
  copy.frames.assign(words.frame, words.frame + frames);
  return copy;
}

Ending ending_by_words(const Words& words, const space::Control& control, int node) {
  if (words.signal != 0) {
    std::string name = signal_name(words.signal), hint;
    if ((words.signal == SIGSEGV || words.signal == SIGBUS) && !words.was_sent) {
      const Place where = place(words.fault_address, control, node);
      name += ": " + where.text;
      if (!where.is_explained && !is_recursion(words.frames) &&
          control.header().settings.check_full == 0)
        hint =
            "if other memory was overwritten before: `armature run --check` compares the addresses "
            "of all transfers with what is allocated, and names the call that is wrong";
    }
    return {status_of_signal(words.signal), false,
            fmt::format("was killed by signal {} ({})", words.signal, name), hint};
  }
  if (words.is_well) return {0, false, "ended the job: " + words.text};
  // Eight bits of the status count (exit(3)).
  if (words.status != 0)
    return {std::max(words.status & 255, 1), false, "ended the job: " + words.text};
  return {status_of_signal(SIGABRT), false, "died of an uncaught " + words.text};
}

Ending ending_by_status(int wait_status, Life life, bool out_of_memory) {
  if (WIFSIGNALED(wait_status)) {
    const int signal = WTERMSIG(wait_status);
    std::string how = fmt::format("was killed by signal {} ({})", signal, signal_name(signal));
    if (life == Life::starting) how += " before it joined the job";
    if (signal == SIGKILL && out_of_memory)
      how += ": the kernel has ended processes here for want of memory, this one may be among them";
    return {status_of_signal(signal), life == Life::finished, how};
  }

  const int status = WEXITSTATUS(wait_status);
  switch (life) {
    case Life::finished:
      return {status, true, fmt::format("exited with status {}", status)};
    case Life::starting:
      return {status, status == 0,
              fmt::format("exited with status {} before it joined the job", status)};
    default:
      return {
          std::max(status, 1), false,
          fmt::format(
              "left out of order: it called exit({}), or returned from main, before it had left "
              "the job (return from armature::run, or armature::finalize)",
              status)};
  }
}

}  // namespace armature::command
