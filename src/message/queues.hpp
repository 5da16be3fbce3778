#pragma once

#include <cstddef>
#include <vector>

#include "message/label.hpp"

namespace armature::message {

/// What makes something a link of a queue. It stays at its place while it is one.
struct Link {
  void* item = nullptr;  // what this is the link of
  Link* before = nullptr;
  Link* behind = nullptr;
  bool is_in_queue = false;
};

/// Items in their order. Nothing is allocated for one.
class Queue {
 public:
  void append(Link& link);
  void prepend(Link& link);
  /// Takes out a link of this queue.
  void remove(Link& link);
  [[nodiscard]] bool is_empty() const { return first_ == nullptr; }
  /// nullptr where it is empty.
  [[nodiscard]] void* first() const { return first_ == nullptr ? nullptr : first_->item; }

 private:
  Link* first_ = nullptr;
  Link* last_ = nullptr;
};

/// Queues, one for each label that has items, in a table by the label's hash: however many items
/// and labels there are, each step takes the same time.
class Queues {
 public:
  /// Allocates nothing: the table is made with the first queue, in the memory of whoever adds that.
  Queues() = default;
  Queues(const Queues&) = delete;
  Queues& operator=(const Queues&) = delete;
  ~Queues() = default;

  void append(const Label& label, Link& link);
  void prepend(const Label& label, Link& link);
  /// From the label's queue. Does nothing where it is in none.
  void remove(const Label& label, Link& link);
  /// The first item; nullptr where the label has none.
  [[nodiscard]] void* first(const Label& label) const {
    return used_ == 0 ? nullptr : places_[place_of(label)].queue.first();
  }

 private:
  /// Whose queue is empty is free.
  struct Place {
    Label label;
    Queue queue;
  };

  [[nodiscard]] std::size_t next(std::size_t place) const {
    return (place + 1) & (places_.size() - 1);
  }
  [[nodiscard]] std::size_t place_of(const Label& label) const;
  Queue& queue_of(const Label& label);
  void grow();
  void close_gap(std::size_t gap);

  std::vector<Place> places_;  // a power of two of places, of which half at least are free
  std::size_t used_ = 0;
};

}  // namespace armature::message
