#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "message/label.hpp"
#include "message/queues.hpp"

// Decides which message a receive gets. As MPI has it (MPI 4.1, 3.5): of the receives that a
// message matches, the one that was posted first. Of the messages that a receive matches, it is the
// one that arrived first. Those of one sender arrive in the order in which they were sent.
//
// Receives and messages that wait lie in queues by label, and those whose pattern says `any` in
// queues of the pattern. So a message that arrives looks at one queue, and at one more for each
// other kind of pattern for which a receive waits.

namespace armature::message {

/// A receive that waits for its message.
class PostedReceive {
 public:
  explicit PostedReceive(const Label& pattern) : pattern_(pattern) { link_.item = this; }
  PostedReceive(const PostedReceive&) = delete;
  PostedReceive& operator=(const PostedReceive&) = delete;
  ~PostedReceive() = default;

  [[nodiscard]] const Label& pattern() const { return pattern_; }

 private:
  friend class PostedReceives;
  Label pattern_;
  std::uint64_t order_ = 0;
  Link link_;
};

class PostedReceives {
 public:
  void post(PostedReceive& receive);
  /// The one that gets that message, which waits no longer; or nullptr.
  PostedReceive* match(const Label& message);
  /// Takes a receive away. False where it does not wait any more.
  bool withdraw(PostedReceive& receive);
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  void remove(PostedReceive& receive);

  Queues queues_;
  std::array<std::size_t, Label::kinds> waiting_{};  // by kind of pattern
  std::size_t size_ = 0;
  std::uint64_t posted_ = 0;
};

/// A message that no receive has got yet.
class WaitingMessage {
 public:
  explicit WaitingMessage(const Label& label) : label_(label) {
    for (Link& link : links_) link.item = this;
  }
  WaitingMessage(const WaitingMessage&) = delete;
  WaitingMessage& operator=(const WaitingMessage&) = delete;
  ~WaitingMessage() = default;

  [[nodiscard]] const Label& label() const { return label_; }

 private:
  friend class WaitingMessages;
  Label label_;
  std::int64_t order_ = 0;                // of arrival
  std::array<Link, Label::kinds> links_;  // by kind of pattern
};

class WaitingMessages {
 public:
  void add(WaitingMessage& message);
  /// Adds it as the first of all: it had arrived before.
  void put_back(WaitingMessage& message);
  /// The one that a receive with that pattern gets; or nullptr.
  [[nodiscard]] WaitingMessage* find(const Label& pattern);
  void remove(WaitingMessage& message);
  /// All of them, the first to arrive first.
  [[nodiscard]] std::vector<WaitingMessage*> in_order() const;
  [[nodiscard]] std::size_t size() const { return size_; }
  /// The places in the table of queues.
  [[nodiscard]] std::size_t places() const { return queues_.places(); }

 private:
  void index(unsigned kind);

  Queues queues_;
  /// Kinds of patterns that have been asked for: messages lie in queues of these alone.
  std::array<bool, Label::kinds> is_indexed_{true, false, false, false};
  std::size_t size_ = 0;
  std::int64_t before_all_ = 0, behind_all_ = 0;  // orders that no message has had
};

}  // namespace armature::message
