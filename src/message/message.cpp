#include "armature/message.hpp"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "armature/layer/message.hpp"
#include "base/fail.hpp"
#include "message/messages.hpp"
#include "wait/rank_context.hpp"
#include "wait/request.hpp"
#include "wait/thread_call.hpp"
#include "wait/wait.hpp"

namespace armature {

using layer::Context;
using message::Address;
using message::Came;
using message::Label;
using message::Messages;
using message::messages_of;
using message::OpenOperation;
using message::Receiving;
using message::Sending;
using wait::RankContext;
using wait::ThreadCall;

namespace {

constexpr Context of_program(message::context::program);

Label pattern_of(RankContext& me, Context context, Rank from, TagPattern tag, const char* call) {
  if (from != Rank::none()) me.space.require_rank(from, call);
  if (!tag.is_any() && tag.tag() < 0)
    base::fail(Errc::bad_argument, fmt::format("{}: tag {}: tags are 0 or more", call, tag.tag()));
  return {context.number(), from == Rank::none() ? Label::any : static_cast<int>(from),
          tag.is_any() ? Label::any : tag.tag()};
}

Address address_of(RankContext& me, Context context, Rank to, int tag, const char* call) {
  me.space.require_rank(to, call);
  if (tag < 0)
    base::fail(Errc::bad_argument, fmt::format("{}: tag {}: tags are 0 or more", call, tag));
  return {to, context.number(), tag};
}

Received received(const Came& came) { return {Rank(came.source), came.bytes, came.tag}; }

[[noreturn]] void does_not_fit(const Came& came, std::size_t room, const char* call) {
  base::fail(Errc::bad_argument,
             fmt::format("{}: a message of {} bytes from rank {} does not fit {} bytes", call,
                         came.bytes, came.source, room));
}

/// A handle's view of its message.
struct Async : detail::Request, OpenOperation {
  explicit Async(Messages& of) : OpenOperation(of) { of.open(*this); }
  Async(const Async&) = delete;
  Async& operator=(const Async&) = delete;
  ~Async() {
    if (Messages* const mine = messages.load(std::memory_order_acquire)) mine->close(*this);
  }

  /// Whether it is over, as far as messages tell.
  template <class Request>
  bool advance(Request& request) {
    Messages* const mine = messages.load(std::memory_order_acquire);
    return mine == nullptr || mine->advance(request);
  }
  /// Nothing of a request that is not over is used any more: where an exception has ended its call.
  template <class Request>
  void let_go(Request& request) {
    Messages* const mine = messages.load(std::memory_order_acquire);
    if (mine != nullptr && !request.is_over.load(std::memory_order_acquire)) mine->abandon(request);
  }
  /// Throws where its rank has left before it was over.
  void require_over(const std::atomic<bool>& is_over, const char* call) const {
    if (is_over.load(std::memory_order_acquire)) return;
    base::fail(Errc::misuse,
               fmt::format("{}: the rank has left the job before this was complete", call));
  }
};

/// A send that somebody has a handle of.
struct AsyncSend : Async {
  AsyncSend(Messages& of, const Address& address, std::span<const std::byte> data)
      : Async(of),
        piece{const_cast<std::byte*>(data.data()), data.size()},
        request(address, std::span(&piece, 1)) {
    needs_ranks = true;
    is_complete = [](detail::Request& me) {
      auto& self = static_cast<AsyncSend&>(me);
      return self.advance(self.request);
    };
    release = [](detail::Request& me) { delete static_cast<AsyncSend*>(&me); };
    check = [](detail::Request& me) {
      const auto& self = static_cast<AsyncSend&>(me);
      self.require_over(self.request.is_over, "send_async");
      message::require_not_lost(self.request.is_lost, self.request.to, "send_async");
    };
    end = [](OpenOperation& me, Sending& sending, Receiving& /*receiving*/) {
      auto& self = static_cast<AsyncSend&>(me);
      if (!sending.look(self.request)) sending.abandon(self.request, false);
    };
  }

  AsyncSend(const AsyncSend&) = delete;
  AsyncSend& operator=(const AsyncSend&) = delete;
  ~AsyncSend() { let_go(request); }

  iovec piece;
  message::SendRequest request;
};

/// A receive that somebody has a handle of.
struct AsyncReceive : Async {
  AsyncReceive(Messages& of, const Label& pattern, std::span<std::byte> into, Received* the_got)
      : Async(of),
        got(the_got),
        piece{into.data(), into.size()},
        request(pattern, std::span(&piece, 1), message::TooLong::is_kept) {
    needs_ranks = true;
    is_complete = look;
    release = [](detail::Request& me) { delete static_cast<AsyncReceive*>(&me); };
    check = [](detail::Request& me) {
      const auto& self = static_cast<AsyncReceive&>(me);
      self.require_over(self.request.is_over, "receive_async");
      message::require_not_lost(self.request.outcome.is_lost, self.request.bound_to,
                                "receive_async");
      if (self.request.outcome.does_not_fit)
        does_not_fit(self.request.outcome, self.request.room, "receive_async");
    };
    end = [](OpenOperation& me, Sending& /*sending*/, Receiving& receiving) {
      auto& self = static_cast<AsyncReceive&>(me);
      if (!receiving.fetching().is_copying_for(self.request)) receiving.abandon(self.request);
    };
    of.start(request);
  }
  AsyncReceive(const AsyncReceive&) = delete;
  AsyncReceive& operator=(const AsyncReceive&) = delete;
  ~AsyncReceive() { let_go(request); }

  static bool look(detail::Request& me) {
    auto& self = static_cast<AsyncReceive&>(me);
    if (!self.advance(self.request)) return false;
    if (self.got != nullptr && self.request.is_over.load(std::memory_order_acquire))
      *std::exchange(self.got, nullptr) = received(self.request.outcome);
    return true;
  }

  Received* got;
  iovec piece;
  message::ReceiveRequest request;
};

}  // namespace

void layer::send(Context context, Rank to, int tag, std::span<const std::byte> data) {
  const ThreadCall under_way("send");
  RankContext& me = wait::this_rank("send");
  wait::require_no_handler(me, "send");
  messages_of(me).send(address_of(me, context, to, tag, "send"), data, "send");
}

Received layer::receive(Context context, Rank from, TagPattern tag, std::span<std::byte> into) {
  const ThreadCall under_way("receive");
  RankContext& me = wait::this_rank("receive");
  wait::require_no_handler(me, "receive");
  const auto outcome = messages_of(me).receive(pattern_of(me, context, from, tag, "receive"), into,
                                               "receive", space::Awaiting::message);
  if (outcome.does_not_fit) does_not_fit(outcome, into.size(), "receive");
  return received(outcome);
}

Handle layer::send_async(Context context, Rank to, int tag, std::span<const std::byte> data) {
  const ThreadCall under_way("send_async");
  RankContext& me = wait::this_rank("send_async");
  const Address address = address_of(me, context, to, tag, "send_async");
  if (messages_of(me).send_at_once(address, data, "send_async")) return {};
  auto send = std::make_unique<AsyncSend>(messages_of(me), address, data);
  messages_of(me).start(send->request, "send_async");
  if (messages_of(me).advance(send->request)) {
    message::require_not_lost(send->request.is_lost, to, "send_async");
    return {};
  }
  return Handle(send.release());
}

Handle layer::receive_async(Context context, Rank from, TagPattern tag, std::span<std::byte> into,
                            Received* got) {
  const ThreadCall under_way("receive_async");
  RankContext& me = wait::this_rank("receive_async");
  return Handle(new AsyncReceive(messages_of(me),
                                 pattern_of(me, context, from, tag, "receive_async"), into, got));
}

bool cancel(Handle& receive) {
  const ThreadCall under_way("cancel");
  if (receive.is_empty()) return false;
  detail::Request* const request = receive.release();
  const bool is_receive = request->is_complete == AsyncReceive::look;
  auto* const self = static_cast<AsyncReceive*>(request);
  Messages* const messages = is_receive ? self->messages.load(std::memory_order_acquire) : nullptr;
  const bool is_cancelled = messages != nullptr && messages->cancel(self->request);
  if (is_cancelled)
    request->release(*request);
  else
    receive = Handle(request);
  if (!is_receive) base::fail(Errc::bad_argument, "cancel: the handle is not of a receive");
  return is_cancelled;
}

std::optional<Received> layer::try_probe(Context context, Rank from, TagPattern tag) {
  const ThreadCall under_way("try_probe");
  RankContext& me = wait::this_rank("try_probe");
  const auto found = messages_of(me).probe(pattern_of(me, context, from, tag, "try_probe"));
  if (!found) {
    wait::let_others_run();
    return std::nullopt;
  }
  return received(*found);
}

Received layer::probe(Context context, Rank from, TagPattern tag) {
  const ThreadCall under_way("probe");
  RankContext& me = wait::this_rank("probe");
  wait::require_no_handler(me, "probe");
  const Label pattern = pattern_of(me, context, from, tag, "probe");
  wait::WaitFor wait = message::wait_for(pattern, "probe");
  std::optional<Came> found;
  wait::wait_until(wait, [&] {
    found = messages_of(me).probe(pattern);
    return found.has_value();
  });
  return received(*found);
}

namespace detail {

struct MatchedState : OpenOperation {
  MatchedState(Messages& of, std::unique_ptr<message::Arrival> the_arrival)
      : OpenOperation(of), arrival(std::move(the_arrival)) {
    end = [](OpenOperation& me, Sending& /*sending*/, Receiving& receiving) {
      auto& self = static_cast<MatchedState&>(me);
      if (self.arrival != nullptr) receiving.put_back(std::move(self.arrival));
    };
    of.open(*this);
  }

  std::unique_ptr<message::Arrival> arrival;
};

void DropMatched::operator()(MatchedState* state) const noexcept {
  if (Messages* const messages = state->messages.load(std::memory_order_acquire)) {
    messages->close(*state);
    if (state->arrival != nullptr) messages->put_back(std::move(state->arrival));
  }
  delete state;
}

void not_one_value(const Received& got, std::size_t bytes) {
  base::fail(Errc::bad_argument,
             fmt::format("receive: a message of {} bytes from rank {} is not a value of {} bytes",
                         got.bytes, static_cast<int>(got.from), bytes));
}

}  // namespace detail

std::optional<MatchedMessage> layer::try_match(Context context, Rank from, TagPattern tag) {
  const ThreadCall under_way("try_match");
  RankContext& me = wait::this_rank("try_match");
  auto arrival = messages_of(me).take(pattern_of(me, context, from, tag, "try_match"));
  if (arrival == nullptr) {
    wait::let_others_run();
    return std::nullopt;
  }
  return MatchedMessage(std::unique_ptr<detail::MatchedState, detail::DropMatched>(
      new detail::MatchedState(messages_of(me), std::move(arrival))));
}

Received MatchedMessage::what() const {
  if (state_ == nullptr || state_->arrival == nullptr)
    base::fail(Errc::bad_argument, "MatchedMessage::what: it has been received");
  return received(state_->arrival->came());
}

void MatchedMessage::receive(std::span<std::byte> into) {
  const ThreadCall under_way("MatchedMessage::receive");
  wait::require_no_handler(wait::this_rank("MatchedMessage::receive"), "MatchedMessage::receive");
  const Received is = what();
  if (is.bytes > into.size())
    does_not_fit({is.from, is.tag, is.bytes}, into.size(), "MatchedMessage::receive");
  const iovec piece{into.data(), into.size()};
  message::ReceiveRequest request(state_->arrival->label(), std::span(&piece, 1),
                                  message::TooLong::is_kept);
  Messages& messages = *state_->messages.load(std::memory_order_acquire);
  messages.start(request, std::move(state_->arrival));
  messages.wait(request, "MatchedMessage::receive", space::Awaiting::message);
}

// The program's own.

void send(Rank to, int tag, std::span<const std::byte> data) {
  layer::send(of_program, to, tag, data);
}

Received receive(Rank from, TagPattern tag, std::span<std::byte> into) {
  return layer::receive(of_program, from, tag, into);
}

Handle send_async(Rank to, int tag, std::span<const std::byte> data) {
  return layer::send_async(of_program, to, tag, data);
}

Handle receive_async(Rank from, TagPattern tag, std::span<std::byte> into, Received* got) {
  return layer::receive_async(of_program, from, tag, into, got);
}

Received probe(Rank from, TagPattern tag) { return layer::probe(of_program, from, tag); }

std::optional<Received> try_probe(Rank from, TagPattern tag) {
  return layer::try_probe(of_program, from, tag);
}

std::optional<MatchedMessage> try_match(Rank from, TagPattern tag) {
  return layer::try_match(of_program, from, tag);
}

}  // namespace armature
