#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// The form of an input: a packet of process 1 to process 0 of a job, as bytes that a fuzzer may
// change in any way. What a stranger cannot know, the sum, is added when it is played.

namespace armature::fuzz {

using Bytes = std::vector<std::byte>;

/// The beginning of an input. Records follow, then what was lent behind the last.
struct InputHead {
  std::uint8_t flags = 0;        // of the packet's header
  std::int8_t acknowledged = 0;  // that many packets more than were sent
  std::int8_t sequence = 0;      // that many more than is due
  std::uint8_t twist = 0;        // one of Twist, where it names one
  std::uint32_t lent_bytes = 0;
};
static_assert(sizeof(InputHead) == 8);

enum Twist : std::uint8_t {
  from_nobody = 1,  // it comes of a process that there is not
  answers = 2,      // Kind::given_up in it answers the oldest question of which there is no answer
};

/// How many packets have been played, and which records were in them.
struct Tally {
  struct Kind {
    std::uint64_t played = 0;   // it was among the records
    std::uint64_t handled = 0;  // all of the packet was
  };
  std::vector<std::vector<Kind>> kinds;  // by service and number
  std::uint64_t inputs = 0;
  std::uint64_t corrupt = 0;   // packets that made no sense
  std::uint64_t answered = 0;  // questions for a key that process 0 had asked
  std::uint64_t early = 0;     // packets behind which others were due that had come early
  struct Memory {
    std::uint64_t registered = 0, reused = 0, evicted = 0, refused = 0;
  } memory;  // of the process, chunks that were asked for
};

/// Runs a job of two processes that does all kinds of things, and keeps it as it is: the second
/// process is silent from then on. Returns what it has sent to the first: the corpus. The second
/// process does not leave before so many inputs: it answers no question after that.
[[nodiscard]] std::vector<Bytes> begin_job(std::uint64_t inputs_before_leaving);
/// Plays one input to the first process. Whatever it is, the process goes on.
void play(std::span<const std::byte> input);
[[nodiscard]] const Tally& tally();
/// The name of a service by its number, once something has been played.
[[nodiscard]] const char* name_of_service(std::size_t service);

}  // namespace armature::fuzz
