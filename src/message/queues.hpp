#pragma once

#include <cstddef>
#include <vector>

#include "message/label.hpp"

namespace armature::message {

/// A place in a circular list, which the link of the queue itself closes.
struct Chain {
  Chain* before = nullptr;  // nullptr: in no queue
  Chain* behind = nullptr;
};

/// Makes something an item of a queue. It stays at its place while it is one.
struct Link : Chain {
  void* item = nullptr;  // what this is the link of

  [[nodiscard]] bool is_in_queue() const { return before != nullptr; }
  /// Takes it out of its queue. Does nothing where it is in none. No queue is looked for: a link
  /// knows its neighbours.
  void leave();
};

/// Queues of items, one for each label that has some, in a table by the label's hash: however many
/// items and labels there are, each step takes the same time. Nothing is allocated for an item.
class Queues {
 public:
  /// Allocates nothing: the table is made with the first queue, in the memory of whoever adds that.
  Queues() = default;
  Queues(const Queues&) = delete;
  Queues& operator=(const Queues&) = delete;
  ~Queues() = default;

  void append(const Label& label, Link& link);
  void prepend(const Label& label, Link& link);
  /// The first item; nullptr where the label has none.
  [[nodiscard]] void* first(const Label& label) const;
  /// All items whose label has no `any`.
  [[nodiscard]] std::vector<void*> messages() const;
  [[nodiscard]] std::size_t places() const { return places_.size(); }

 private:
  /// A place that is used stays its label's when its items have left, until the table is made anew.
  struct Place {
    Chain queue;
    Label label;
    bool is_used = false;

    [[nodiscard]] bool is_empty() const { return queue.behind == &queue; }
  };
  static_assert(sizeof(Place) == 32);

  [[nodiscard]] std::size_t place_of(const Label& label) const;
  Chain& queue_of(const Label& label);
  void make_anew();

  std::vector<Place> places_;  // a power of two of places, of which half at least are not used
  std::size_t used_ = 0;
};

}  // namespace armature::message
