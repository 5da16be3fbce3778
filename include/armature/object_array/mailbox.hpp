#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "armature/marshal.hpp"
#include "armature/object_array/coroutines.hpp"
#include "armature/object_array/waits.hpp"
#include "armature/shared.hpp"

namespace armature {

template <class M, class Tag>
class mailbox;

namespace detail {

/// Messages of one tag, as a wait names them: in which mailbox, as seen from the first one.
template <class M, class Tag, bool is_one>
struct WantedMessages {
  using Box = mailbox<M, Tag>;
  using Value = std::conditional_t<is_one, M, std::vector<M>>;
  std::int64_t distance = 0;
  Tag tag{};
  std::uint64_t count = 1;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(distance, tag, count);
  }
  [[nodiscard]] Box& box(MailboxWaits& first) const {
    return static_cast<Box&>(first.at(static_cast<std::ptrdiff_t>(distance)));
  }
  [[nodiscard]] bool are_there(MailboxWaits& first) const { return box(first).count(tag) >= count; }
  [[nodiscard]] Value take(MailboxWaits& first) const {
    auto all = box(first).take_now(tag, count);
    if constexpr (is_one)
      return std::move(all.front());
    else
      return all;
  }
};

}  // namespace detail

/// Messages that are wanted, before anybody waits for them.
template <class M, class Tag, bool is_one>
struct awaited_messages {
  using Wanted = detail::WantedMessages<M, Tag, is_one>;
  mailbox<M, Tag>* box;
  Tag tag;
  std::size_t count;

  [[nodiscard]] Wanted seen_from(const detail::MailboxWaits& first) const {
    return {first.distance_to(*box), tag, count};
  }
  template <class Other>
  [[nodiscard]] bool is_same(const Other& other) const {
    if constexpr (std::is_same_v<decltype(box), decltype(other.box)>)
      return box == other.box && tag == other.tag;
    else
      return false;
  }
};

namespace detail {

/// The values, in order, as the result of a future: of one wait itself, of several a tuple.
template <class... Wanted>
auto take_wanted(MailboxWaits& first, const Wanted&... wanted) {
  if constexpr (sizeof...(Wanted) == 1)
    return (wanted.take(first), ...);
  else
    return std::tuple<typename Wanted::Value...>{wanted.take(first)...};
}

template <class... Wanted>
struct FutureOfMessages final : MailboxFuture {
  using Value =
      decltype(take_wanted(std::declval<MailboxWaits&>(), std::declval<const Wanted&>()...));
  std::tuple<Wanted...> wanted;
  std::shared_ptr<FutureState<Value>> state = std::make_shared<FutureState<Value>>();

  explicit FutureOfMessages(std::tuple<Wanted...> all) : wanted(std::move(all)) {}
  bool take(MailboxWaits& first) override {
    return std::apply(
        [&](const Wanted&... one) {
          if (!(one.are_there(first) && ...)) return false;
          state->set(take_wanted(first, one...));
          return true;
        },
        wanted);
  }
  void fail(std::exception_ptr error) override { state->fail(std::move(error)); }
  [[nodiscard]] bool is_dropped() const override { return state.use_count() == 1; }
};

/// A method that waits, as it travels.
template <class T, class Method, class... Wanted>
struct MethodOfMessages {
  std::int64_t object = 0;   // as seen from the first mailbox
  std::uint64_t method = 0;  // a CodePointer
  std::tuple<Wanted...> wanted;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(object, method, wanted);
  }

  static std::function<void()> take(MailboxWaits& first, const std::vector<std::byte>& what) {
    Reader from(what.data(), what.data(), what.data() + what.size());
    const auto self = unpack<MethodOfMessages>(from);
    return std::apply(
        [&](const Wanted&... one) -> std::function<void()> {
          if (!(one.are_there(first) && ...)) return {};
          auto* const element = reinterpret_cast<T*>(reinterpret_cast<std::byte*>(&first) +
                                                     static_cast<std::ptrdiff_t>(self.object));
          // A std::function is copied, and messages may not be.
          auto values = std::make_shared<std::tuple<typename Wanted::Value...>>(
              std::tuple<typename Wanted::Value...>{one.take(first)...});
          return [element, code = CodePointer{self.method}, values] {
            call(*element, to_member<Method>(decode(code), code.adjust()), *values);
          };
        },
        self.wanted);
  }
  static void call(T& element, Method method, std::tuple<typename Wanted::Value...>& values) {
    const auto called = [&](auto&... value) -> decltype(auto) {
      return (element.*method)(std::move(value)...);
    };
    if constexpr (is_future<std::remove_cvref_t<decltype(std::apply(called, values))>>)
      tell_failure(std::apply(called, values), Rank(my_rank("when")), "behind messages: ");
    else
      (void)std::apply(called, values);
  }
};

[[noreturn]] inline void refuse_when(const char* what) {
  throw Error(Errc::bad_argument, std::string("when: ") + what);
}
template <class First, class... More>
void require_different(const First& first, const More&... more) {
  if ((first.is_same(more) || ...)) refuse_when("it names one tag of a mailbox twice");
  if constexpr (sizeof...(More) > 0) require_different(more...);
}
template <class First, class... More>
MailboxWaits& first_of(const First& first, const More&... more) {
  require_different(first, more...);
  (more.box->tell(*first.box), ...);
  return *first.box;
}

}  // namespace detail

/// Messages that an object gets before it wants them: an iteration's neighbours, in any order. They
/// lie there by their tag, such as the number of the iteration, until they are taken. A mailbox is
/// a member of an element of an object_array, or of any object, and travels with it: name it in
/// define_type. M and Tag are marshallable; tags have an order.
///
///   struct Tile {
///     mailbox<Row> rows;
///     void define_type(typer& t) { t.local(rows); ... }
///     void begin(long step) {
///       tiles[left].put(&Tile::rows, step, edge);
///       when(this, &Tile::relax, rows(step, 4));     // relax(std::vector<Row>), when four are
///       there
///     }
///   };
///
/// So `when` is what structured dagger calls by that name in Charm++. All calls are made where the
/// object is, by one method at a time. A copy has the messages, and the methods that wait for more.
template <class M, class Tag = long>
class mailbox : public detail::MailboxWaits {
 public:
  mailbox() = default;

  /// Adds a message. What has waited for it is called before this returns, unless one of that is
  /// under way: then behind it. Throws what that throws.
  void put(const Tag& tag, M message) {
    messages_[tag].push_back(std::move(message));
    arrived();
  }
  /// So many messages of a tag, for `when`: a std::vector<M>, in the order in which they came.
  [[nodiscard]] awaited_messages<M, Tag, false> operator()(const Tag& tag, std::size_t count) {
    return {this, tag, count};
  }
  /// One message, for `when`: an M.
  [[nodiscard]] awaited_messages<M, Tag, true> operator()(const Tag& tag) { return {this, tag, 1}; }

  /// The number of messages of a tag that nobody has taken; of all tags.
  [[nodiscard]] std::size_t count(const Tag& tag) const {
    const auto found = messages_.find(tag);
    return found == messages_.end() ? 0 : found->second.size();
  }
  [[nodiscard]] std::size_t size() const {
    std::size_t sum = 0;
    for (const auto& [tag, all] : messages_) sum += all.size();
    return sum;
  }
  /// Takes the first `count` messages of a tag. Throws Error(bad_argument) where there are less.
  [[nodiscard]] std::vector<M> take_now(const Tag& tag, std::size_t count) {
    if (this->count(tag) < count)
      throw Error(Errc::bad_argument, "mailbox::take_now: " + std::to_string(count) +
                                          " messages are asked for, and there are " +
                                          std::to_string(this->count(tag)));
    if (count == 0) return {};
    const auto found = messages_.find(tag);
    const auto end = found->second.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<M> taken(std::make_move_iterator(found->second.begin()),
                         std::make_move_iterator(end));
    found->second.erase(found->second.begin(), end);
    if (found->second.empty()) messages_.erase(found);
    return taken;
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(messages_);
    describe(archive);
  }

 private:
  std::map<Tag, std::vector<M>> messages_;
};

namespace detail {
/// A visitor that brings a message to an element.
template <class T, class M, class Tag>
struct PutMessage {
  mailbox<M, Tag> T::*box;
  void operator()(T& element, const Tag& tag, M message) const {
    (element.*box).put(tag, std::move(message));
  }
};
}  // namespace detail

/// Calls (element->*method)(messages...) once all of them are there: at once, or by the `put` that
/// brings the last. `what` are messages of mailboxes that are members of the element. If several
/// wait for the same messages the first of those gets them for which all are there. The wait is a
/// part of the first mailbox: it moves with the element, and is in its checkpoints. A method that
/// waits itself holds up those that are to be called behind it. A method may be a coroutine that
/// returns a future<void>; it is not waited for. Throws Error(bad_argument) for a mailbox that is
/// no member, and for one tag of a mailbox that is named twice.
template <class T, class R, class... P, class... M, class... Tag, bool... is_one>
requires(sizeof...(is_one) > 0) void when(T* element, R (T::*method)(P...),
                                          const awaited_messages<M, Tag, is_one>&... what) {
  using Method = R (T::*)(P...);
  static_assert(std::is_invocable_v<Method, T&, std::conditional_t<is_one, M, std::vector<M>>...>,
                "when: the method takes the messages, in that order: M for box(tag), "
                "std::vector<M> for box(tag, count)");
  const auto* const begin = reinterpret_cast<const std::byte*>(element);
  const auto is_member = [begin](const auto* box) {
    const auto* const at = reinterpret_cast<const std::byte*>(box);
    return at >= begin && at + sizeof(*box) <= begin + sizeof(T);
  };
  if (!(is_member(what.box) && ...)) detail::refuse_when("a mailbox is no member of the object");
  detail::MailboxWaits& first = detail::first_of(what...);
  using Wait = detail::MethodOfMessages<T, Method, detail::WantedMessages<M, Tag, is_one>...>;
  const Wait wait{.object = begin - reinterpret_cast<const std::byte*>(&first),
                  .method = detail::encode(method).bits,
                  .wanted = {what.seen_from(first)...}};
  std::size_t bytes = 0;
  detail::measure(bytes, wait);
  std::vector<std::byte> packed(bytes);
  detail::Writer to(packed.data());
  detail::pack(to, wait);
  const detail::TakeMessages take = &Wait::take;
  first.add({.take = detail::encode(reinterpret_cast<std::uintptr_t>(take), 0).bits,
             .what = std::move(packed),
             .future = nullptr});
}

/// A future of the messages, once all of them are there: the value of one box(tag) or box(tag,
/// count), a std::tuple of several. For coroutines: `co_await when(rows(step, 4))`. While one of an
/// element waits its element stays where it is. A future that is dropped takes nothing. Throws
/// Error(object_gone) when a mailbox is closed or ends meanwhile.
template <class... M, class... Tag, bool... is_one>
requires(sizeof...(is_one) > 0)
    [[nodiscard]] auto when(const awaited_messages<M, Tag, is_one>&... what) {
  detail::MailboxWaits& first = detail::first_of(what...);
  using Waiting = detail::FutureOfMessages<detail::WantedMessages<M, Tag, is_one>...>;
  auto waiting = std::make_unique<Waiting>(std::tuple(what.seen_from(first)...));
  future<typename Waiting::Value> result(waiting->state);
  first.add({.future = std::move(waiting)});
  return result;
}

}  // namespace armature
