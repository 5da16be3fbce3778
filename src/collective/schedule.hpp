#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// A collective is a schedule: stages, which a member goes through one after the other. A stage has
// messages to be received and sent, and steps that are run when all of them are complete. Schedules
// name places in buffers rather than addresses, so one can be run again with others.

namespace armature::collective {

/// The buffers of one run.
enum class Buffer : std::uint8_t {
  input,    // the member's own data; never written, unless it is also the output
  output,   // the result
  scratch,  // as many bytes as the schedule wants
  first,    // the one element that comes before those of all members, of an exclusive scan
};
inline constexpr std::size_t buffers_count = 4;

struct Place {
  Buffer buffer = Buffer::scratch;
  std::size_t at = 0;

  friend bool operator==(const Place&, const Place&) = default;
  /// The place so many bytes further.
  [[nodiscard]] Place operator+(std::size_t bytes) const { return {buffer, at + bytes}; }
};
inline constexpr Place input{Buffer::input};
inline constexpr Place output{Buffer::output};

/// A message from or to a member.
struct Message {
  int member = -1;
  Place place;
  std::size_t bytes = 0;
};

/// Local work. The bytes of `from` and `into` are the same or do not overlap.
struct Step {
  enum class Kind : std::uint8_t {
    copy,
    combine,  // into = into op from, for each element
    fill,     // each element of `into` becomes the one at `from`
  };
  Kind kind = Kind::copy;
  Place into, from;
  std::size_t bytes = 0;
};

class Schedule {
 public:
  /// A stage of the schedule.
  struct Stage {
    std::span<const Message> receives, sends;
    std::span<const Step> steps;
  };

  // These add to the last stage. Messages between two members are matched in the order of their
  // stages on both sides, and there is at most one each way in a stage.
  void receive(int from, Place into, std::size_t bytes) {
    receives_.push_back({from, into, bytes});
  }
  void send(int to, Place from, std::size_t bytes) { sends_.push_back({to, from, bytes}); }
  void copy(Place into, Place from, std::size_t bytes) {
    if (bytes > 0 && into != from) steps_.push_back({Step::Kind::copy, into, from, bytes});
  }
  void combine(Place into, Place from, std::size_t bytes) {
    if (bytes > 0) steps_.push_back({Step::Kind::combine, into, from, bytes});
  }
  void fill(Place into, Place from, std::size_t bytes) {
    if (bytes > 0) steps_.push_back({Step::Kind::fill, into, from, bytes});
  }
  void end_stage() { ends_.push_back({receives_.size(), sends_.size(), steps_.size()}); }
  /// Ends the last stage, where something was added to it.
  void end();

  /// So many bytes of scratch memory, aligned as elements may have to be.
  [[nodiscard]] Place take_scratch(std::size_t bytes);

  [[nodiscard]] std::size_t stages() const { return ends_.size(); }
  [[nodiscard]] Stage stage(std::size_t number) const;
  [[nodiscard]] std::size_t scratch_bytes() const { return scratch_bytes_; }

 private:
  struct Ends {
    std::size_t receives, sends, steps;
    friend bool operator==(const Ends&, const Ends&) = default;
  };
  [[nodiscard]] Ends begin_of(std::size_t stage) const {
    return stage == 0 ? Ends{} : ends_[stage - 1];
  }

  std::vector<Message> receives_, sends_;
  std::vector<Step> steps_;
  std::vector<Ends> ends_;
  std::size_t scratch_bytes_ = 0;
};

}  // namespace armature::collective
