// The compiled half of armature/wait_until.hpp. A rank looks at words of its own memory. One that
// puts there on the same node stores, and tells nobody; so the rank looks again by itself. What
// comes from other nodes, and signals, wake it (notify_of_value in notifier.hpp).
#include "armature/wait_until.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "wait/awaited_value.hpp"
#include "wait/ordered.hpp"
#include "wait/rank_context.hpp"
#include "wait/thread_call.hpp"
#include "wait/turn_of_looks.hpp"
#include "wait/wait.hpp"

namespace armature::detail {
namespace {

using wait::AwaitedValue;

template <class T>
bool compares(T found, Comparison comparison, T value) {
  switch (comparison) {
    case Comparison::eq:
      return found == value;
    case Comparison::ne:
      return found != value;
    case Comparison::gt:
      return found > value;
    case Comparison::ge:
      return found >= value;
    case Comparison::lt:
      return found < value;
    case Comparison::le:
      return found <= value;
  }
  return false;
}

template <class T>
bool word_holds(const AwaitedWords& what, std::size_t i, std::uint64_t& found) {
  const T value =
      what.values != nullptr ? static_cast<const T*>(what.values)[i] : static_cast<T>(what.value);
  const T word = load_word(static_cast<const T*>(what.words) + i);
  found = static_cast<std::uint64_t>(word);
  return compares(word, what.comparison, value);
}

using WordHolds = bool (*)(const AwaitedWords& what, std::size_t i, std::uint64_t& found);
constexpr WordHolds word_holds_by_kind[] = {word_holds<std::int32_t>, word_holds<std::uint32_t>,
                                            word_holds<std::int64_t>, word_holds<std::uint64_t>};

std::size_t bytes_of(WordKind kind) {
  return kind == WordKind::int32 || kind == WordKind::uint32 ? 4 : 8;
}
bool has_sign(WordKind kind) { return kind == WordKind::int32 || kind == WordKind::int64; }

/// Words that are looked at, of which some are left out. Throws for what cannot be.
class Looks {
 public:
  explicit Looks(const AwaitedWords& what)
      : what_(what), word_holds_(word_holds_by_kind[static_cast<std::size_t>(what.kind)]) {
    const auto bytes = bytes_of(what.kind);
    if (what.count != 0 &&
        (what.words == nullptr || reinterpret_cast<std::uintptr_t>(what.words) % bytes != 0))
      base::fail(Errc::bad_address, fmt::format("{}: {} is no address of a word of {} bytes",
                                                what.call, what.words, bytes));
    require_count("values", what.values != nullptr ? what.values_count : what.count);
    require_count("entries that leave words out",
                  what.left_out.empty() ? what.count : what.left_out.size());
    left_ = what.left_out.empty() ? what.count
                                  : static_cast<std::size_t>(std::ranges::count(what.left_out, 0));
  }

  [[nodiscard]] std::size_t count() const { return what_.count; }
  /// How many are not left out.
  [[nodiscard]] std::size_t left() const { return left_; }
  [[nodiscard]] bool is_left_out(std::size_t i) const {
    return !what_.left_out.empty() && what_.left_out[i] != 0;
  }
  /// Whether that word is looked at and compares as is wanted.
  [[nodiscard]] bool hold(std::size_t i) const {
    std::uint64_t found = 0;
    return !is_left_out(i) && hold(i, found);
  }
  /// Whether a word that is not left out does so; with what it is.
  [[nodiscard]] bool hold(std::size_t i, std::uint64_t& found) const {
    return word_holds_(what_, i, found);
  }
  /// One that does, of those from `first` on, and then from the beginning; count() where none does.
  [[nodiscard]] std::size_t find(std::size_t first) const {
    for (std::size_t i = first; i < count(); ++i)
      if (hold(i)) return i;
    for (std::size_t i = 0; i < first; ++i)
      if (hold(i)) return i;
    return count();
  }
  /// Writes the indices of all that do, and returns how many.
  [[nodiscard]] std::size_t find_all(std::span<std::size_t> indices) const {
    std::size_t found = 0;
    for (std::size_t i = 0; i < count(); ++i)
      if (hold(i)) indices[found++] = i;
    return found;
  }
  void require_room(std::span<const std::size_t> indices) const {
    if (indices.size() >= count()) return;
    base::fail(Errc::bad_argument, fmt::format("{}: room for {} indices, of {} words", what_.call,
                                               indices.size(), count()));
  }

 private:
  void require_count(const char* things, std::size_t given) const {
    if (given == what_.count) return;
    base::fail(Errc::bad_argument,
               fmt::format("{}: {} {}, of {} words", what_.call, given, things, what_.count));
  }

  const AwaitedWords& what_;
  const WordHolds word_holds_;
  std::size_t left_ = 0;
};

/// The words have been found as others have left them.
void hear_of(const AwaitedWords& what) {
  wait::hear_of(what.words, what.count * bytes_of(what.kind));
}

/// Waits for `condition` about the words.
template <class Condition>
void wait_for(const AwaitedWords& what, AwaitedValue::Of of, Condition&& condition) {
  wait::require_no_handler(wait::this_rank(what.call), what.call);
  const AwaitedValue how{.comparison = what.comparison,
                         .of = of,
                         .is_signed = has_sign(what.kind),
                         .each_has_its_own = what.values != nullptr,
                         .count = static_cast<std::uint32_t>(
                             std::min<std::size_t>(what.count, AwaitedValue::count_max))};
  wait::WaitFor wait{.what = space::Awaiting::value,
                     .team = how.packed(),
                     .object = what.words,
                     .detail = what.value,
                     .is_notified = what.is_signal,
                     .call = what.call};
  wait::wait_until(wait, condition);
  hear_of(what);
}

/// Looks, and lets others have their turn where that has found nothing.
template <class Look>
auto look_once(const AwaitedWords& what, Look&& look) {
  const wait::ThreadCall under_way(what.call);
  wait::RankContext& me = wait::this_rank(what.call);
  const auto found = look();
  if (found) {
    hear_of(what);
    return found;
  }
  if (wait::runs_rank()) me.deliver();
  wait::let_others_run();
  return found;
}

}  // namespace

std::uint64_t wait_for_word(const AwaitedWords& what) {
  const Looks looks(what);
  std::uint64_t found = 0;
  wait_for(what, AwaitedValue::Of::one, [&] { return looks.hold(0, found); });
  return found;
}

std::size_t wait_for_any(const AwaitedWords& what) {
  const Looks looks(what);
  if (looks.left() == 0) return looks.count();
  const std::size_t first = wait::turn_of_looks(wait::this_rank(what.call), looks.count());
  std::size_t found = looks.count();
  wait_for(what, AwaitedValue::Of::any,
           [&] { return (found = looks.find(first)) != looks.count(); });
  return found;
}

std::size_t wait_for_some(const AwaitedWords& what, std::span<std::size_t> indices) {
  const Looks looks(what);
  looks.require_room(indices);
  if (looks.left() == 0) return 0;
  std::size_t found = 0;
  wait_for(what, AwaitedValue::Of::any, [&] { return (found = looks.find_all(indices)) != 0; });
  return found;
}

void wait_for_all(const AwaitedWords& what) {
  const Looks looks(what);
  if (looks.left() == 0) return;
  // All before it have been seen to hold.
  std::size_t next = 0;
  wait_for(what, AwaitedValue::Of::all, [&] {
    while (next < looks.count() && (looks.is_left_out(next) || looks.hold(next))) ++next;
    return next == looks.count();
  });
}

bool test_word(const AwaitedWords& what) {
  const Looks looks(what);
  return look_once(what, [&] { return looks.hold(0); });
}

std::size_t test_any_word(const AwaitedWords& what) {
  const Looks looks(what);
  std::size_t found = looks.count();
  if (looks.left() == 0) return found;
  const std::size_t first = wait::turn_of_looks(wait::this_rank(what.call), looks.count());
  (void)look_once(what, [&] { return (found = looks.find(first)) != looks.count(); });
  return found;
}

std::size_t test_some_words(const AwaitedWords& what, std::span<std::size_t> indices) {
  const Looks looks(what);
  looks.require_room(indices);
  return look_once(what, [&] { return looks.find_all(indices); });
}

bool test_all_words(const AwaitedWords& what) {
  const Looks looks(what);
  return look_once(what, [&] {
    for (std::size_t i = 0; i < looks.count(); ++i)
      if (!looks.is_left_out(i) && !looks.hold(i)) return false;
    return true;
  });
}

}  // namespace armature::detail
