#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "armature/object_array/refused.hpp"

namespace armature::detail {

/// The header of a call of an element.
struct CallHead {
  int caller = 0;            // a member
  std::uint32_t hops = 0;    // how often it was sent on
  std::uint32_t depth = 0;   // how many two-way calls wait for it, one for the other; 0: one-way
  std::uint64_t number = 0;  // among the calls of this caller to this element
  std::uint64_t epoch = 0;   // of the record, as known to whoever sent it here
  static constexpr bool owns_its_members = true;  // nothing of the message needs to stay
  // The caller counts its calls here. A call has its number from the moment when nothing can hold
  // it up any more: sending may have to wait for room, and lets others in, who may call too.
  std::uint64_t* counter = nullptr;

  template <class Archive>
  void serialize(Archive& archive) {
    if (counter != nullptr && archive.is_packing()) number = (*counter)++;
    archive(caller, hops, depth, number, epoch);
  }
};

/// Two-way calls of a caller that wait: as deep as that, and up to that number.
struct Urgent {
  std::uint64_t number = 0;
  std::uint32_t depth = 0;
};

/// The place of a record, or its place when it had moved that often; and how many calls this member
/// made to it.
struct Route {
  int member = -1;
  std::uint64_t epoch = 0;  // 0: not known, or where it began
  std::uint64_t sent = 0;
};

/// A call that cannot be executed yet: it came before others of its caller, or before the record.
template <class Part>
class Waiting {
 public:
  Waiting() = default;
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  virtual ~Waiting() = default;
  [[nodiscard]] virtual const CallHead& head() const = 0;
  virtual void run(Part& part, typename Part::Record& record) = 0;
  virtual void arrive_again(Part& part) = 0;
};

/// A record on its way. The element comes last: where reading it fails the rest has arrived.
template <class T, class Index, class Hash>
struct MovingRecord {
  static constexpr bool owns_its_members = true;
  std::uint64_t epoch = 0;
  std::unordered_map<int, std::uint64_t> next;
  std::uint64_t busy_ns = 0;
  std::unordered_map<Index, std::uint64_t, Hash> calls;
  std::unique_ptr<T> object;
  std::string failure;  // why it could not be read

  template <class Archive>
  void serialize(Archive& archive) {
    archive(epoch, next, busy_ns, calls);
    try {
      archive(object);
    } catch (...) {
      if (!archive.is_unpacking()) throw;  // it stays
      tell_exception([this](Errc, const std::string& text) { failure = text; });
    }
  }
};

/// The record of an index: the element, if there is one now, and how far the calls of each rank
/// have got. It exists once, at one member or on its way to one; that of an index which has no
/// element lies at the index's home.
template <class T, class Index, class Part>
struct ElementRecord {
  using Late = std::unique_ptr<Waiting<Part>>;
  std::shared_ptr<T> object;
  std::uint64_t epoch = 0;                      // how often it has moved
  std::unordered_map<int, std::uint64_t> next;  // by caller: the number of the call that is due
  std::map<std::pair<int, std::uint64_t>, Late> waiting;
  std::unordered_map<int, Urgent> urgent;  // by caller
  int running = 0;   // calls under way, each waiting but for the last; what they have begun, too
  int goes_to = -1;  // once none is
  std::uint64_t busy_ns = 0;
  std::unordered_map<Index, std::uint64_t, typename Part::Hash> calls;  // made to others

  ElementRecord() = default;
  /// One that has arrived.
  template <class Moving>
  explicit ElementRecord(Moving&& moving)
      : object(std::move(moving.object)),
        epoch(moving.epoch),
        next(std::move(moving.next)),
        busy_ns(moving.busy_ns),
        calls(std::move(moving.calls)) {}

  /// A call waits for its turn.
  void put_off(Late late) {
    const CallHead head = late->head();
    if (head.depth > 0) {
      Urgent& two_way = urgent[head.caller];
      const bool is_past = two_way.number < next[head.caller];
      two_way.number = std::max(two_way.number, head.number);
      two_way.depth = is_past ? head.depth : std::max(two_way.depth, head.depth);
    }
    waiting.emplace(std::pair(head.caller, head.number), std::move(late));
  }
  /// The next call of that caller, which waits no more; nullptr when it has not come.
  [[nodiscard]] Late take_due(int caller) {
    const auto due = waiting.find({caller, next[caller]});
    if (due == waiting.end()) return nullptr;
    Late late = std::move(due->second);
    waiting.erase(due);
    return late;
  }
  /// How deep the two-way calls are that wait behind the call that is due.
  [[nodiscard]] std::uint32_t depth_behind(int caller) {
    const auto two_way = urgent.find(caller);
    return two_way == urgent.end() || two_way->second.number < next[caller] ? 0
                                                                            : two_way->second.depth;
  }
  /// Whether it is to leave that member, and may.
  [[nodiscard]] bool is_to_leave(int member) {
    if (goes_to == member) goes_to = -1;
    return goes_to >= 0 && running == 0;
  }
};

/// The part of a record that is sent, lent until it is sent: if that fails, nothing has left.
template <class Record, class Moving>
class LentRecord {
 public:
  explicit LentRecord(Record& record)
      : record_(record),
        moving_{.epoch = record.epoch + 1,
                .next = std::move(record.next),
                .busy_ns = record.busy_ns,
                .calls = std::move(record.calls),
                .object = decltype(Moving::object)(record.object.get())} {}
  LentRecord(const LentRecord&) = delete;
  LentRecord& operator=(const LentRecord&) = delete;
  ~LentRecord() {
    (void)moving_.object.release();
    record_.next = std::move(moving_.next);
    record_.calls = std::move(moving_.calls);
  }
  /// Returns the moving part, which cannot be copied. Packing leaves it as it is.
  [[nodiscard]] Moving&& moving() { return std::move(moving_); }

 private:
  Record& record_;
  Moving moving_;
};

}  // namespace armature::detail
