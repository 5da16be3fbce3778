#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "armature/error.hpp"
#include "armature/marshal.hpp"
#include "armature/rank.hpp"
#include "armature/shared.hpp"
#include "armature/team.hpp"

namespace armature {

/// One-way calls of one method, for elements so small that a call for each costs more than what it
/// does (armi-rmi-2003, 4.2). Elements for a rank are put aside here. When there are `length` of
/// them, they go there in one call, and the method gets them as a span that lies in the message: it
/// runs through them in one loop.
///
///     armature::batches counts(table, &Table::count_all);  // void count_all(std::span<const int>)
///     for (const int x : mine) counts.add(owner(x), x);
///     counts.flush();
///     armature::rmi_fence();
///
/// The method's other arguments, behind the span, are given once, here. Batches of one rank for
/// another are executed in the order of their elements, and in the order of other calls as if each
/// had been made when its batch was sent. A batch that a method fills while another one is being
/// sent may come first. An element that is kept here is known to no fence: flush() before. The
/// destructor flushes, unless an exception is on its way. Not for several threads at once.
template <class T, class Item, class... Fixed>
class batches {
  static_assert(Transferable<Item>, "elements travel as bytes: they must be trivially copyable");

 public:
  static constexpr std::size_t usual_bytes = 4096;

  /// `fixed`: what the method takes behind the span.
  template <class... More>
  batches(shared_ref<T> object, void (T::*method)(std::span<const Item>, Fixed...),
          const More&... fixed)
      : object_(object),
        method_(method),
        fixed_(fixed...),
        kept_(static_cast<std::size_t>(ranks_of(object))),
        exceptions_(std::uncaught_exceptions()) {}
  batches(const batches&) = delete;
  batches& operator=(const batches&) = delete;
  ~batches() noexcept(false) {
    if (std::uncaught_exceptions() == exceptions_) flush();
  }

  /// Sets how many elements travel together; sends those that are kept. Throws
  /// Error(bad_argument) for 0.
  void set_length(std::size_t length) {
    if (length == 0)
      throw Error(Errc::bad_argument, "batches: a batch of 0 elements would never be sent");
    flush();
    length_ = length;
    for (Kept& one : kept_)  // but what a method has added meanwhile
      if (one.at == one.items.get()) one = Kept();
  }

  /// Throws Error(bad_rank) when the object's team does not have that rank.
  void add(Rank to, const Item& item) {
    const auto number = static_cast<std::size_t>(static_cast<int>(to));
    if (number >= kept_.size() || kept_[number].at == kept_[number].end) [[unlikely]]
      make_room(to);
    Kept& mine = kept_[number];
    *mine.at++ = item;
    if (mine.at == mine.end) send(to);
  }
  /// Sends what is kept.
  void flush() {
    for (std::size_t rank = 0; rank < kept_.size(); ++rank)
      if (kept_[rank].at != kept_[rank].items.get()) send(Rank(static_cast<int>(rank)));
  }

 private:
  /// Elements for a rank.
  struct Kept {
    std::unique_ptr<Item[]> items;
    Item* at = nullptr;  // where the next one goes
    Item* end = nullptr;
  };
  static int ranks_of(shared_ref<T> object) {
    const Team& team = object.team();
    int last = 0;
    for (int m = 0; m < team.size(); ++m)
      last = std::max(last, static_cast<int>(team.world_rank(m)));
    return last + 1;
  }
  void make_room(Rank to) {
    const int number = static_cast<int>(to);
    const Team& team = object_.team();
    bool is_member = false;
    for (int m = 0; m < team.size(); ++m) is_member = is_member || team.world_rank(m) == to;
    if (!is_member)
      throw Error(Errc::bad_rank, "batches: rank " + std::to_string(number) +
                                      " is no member of the object's team of " +
                                      std::to_string(team.size()));
    Kept& mine = kept_[static_cast<std::size_t>(number)];
    mine.items = std::make_unique_for_overwrite<Item[]>(length_);
    mine.at = mine.items.get();
    mine.end = mine.at + length_;
  }
  void send(Rank to) {
    Kept& mine = kept_[static_cast<std::size_t>(static_cast<int>(to))];
    // A call may wait for room, and let methods in that add elements: not to these.
    Kept sent = std::exchange(mine, Kept());  // a call that throws has not been made
    const std::span<const Item> items(sent.items.get(), sent.at);
    std::apply([&](const auto&... fixed) { object_.async(to, method_, items, fixed...); }, fixed_);
    if (mine.items != nullptr) return;
    sent.at = sent.items.get();
    mine = std::move(sent);
  }

  shared_ref<T> object_;
  void (T::*method_)(std::span<const Item>, Fixed...);
  std::tuple<std::remove_cvref_t<Fixed>...> fixed_;  // the method may take references
  std::size_t length_ = std::max<std::size_t>(1, usual_bytes / sizeof(Item));
  std::vector<Kept> kept_;
  int exceptions_;
};

}  // namespace armature
