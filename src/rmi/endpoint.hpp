#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "armature/detail/method.hpp"
#include "armature/detail/request.hpp"
#include "base/sparse_table.hpp"
#include "rmi/blocks.hpp"
#include "rmi/fence.hpp"
#include "rmi/objects.hpp"
#include "rmi/overflow.hpp"
#include "rmi/pin.hpp"
#include "rmi/replies.hpp"
#include "rmi/settings.hpp"
#include "rmi/stream.hpp"
#include "transport/channel.hpp"
#include "wait/context_slot.hpp"
#include "wait/rank_context.hpp"

namespace armature::detail {
class FutureBase;
}

namespace armature::rmi {

/// A rank's end of all channels: what it sends, what it receives and executes, and the tables that
/// requests name things in. Requests are executed in deliver(), one at a time, on the rank's own
/// stack: when it waits, polls, or looks for room.
class Endpoint final : public wait::WorkSource, private FencedCalls {
 public:
  Endpoint(wait::RankContext& context, const Settings& settings, Team everyone);
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;
  ~Endpoint() override;

  /// Everything here belongs to one thread, the rank's; with a service thread to whichever of the
  /// two holds this. Held while a method runs, and taken again by what the method calls.
  using Use = FencedCalls::Use;
  [[nodiscard]] Use use() override { return has_service() ? Use(mutex_) : Use(); }
  [[nodiscard]] bool has_service() const { return has_service_; }
  /// From now on a thread beside the rank executes calls too, if the settings say so.
  void start_service();
  /// The rank is alone again when this returns. The thread may not even have begun: what it reads
  /// of the rank's context when it does is not changed before.
  void end_service();

  /// Executes what has arrived; publishes what was held back. Never blocks, but the methods may.
  /// Does nothing while the rank's other thread is at it.
  void deliver() override;
  /// The same, for a rank that asks for it: what is there now is executed, streams too.
  void poll();
  /// Whether deliver() would find something.
  [[nodiscard]] bool has_work() override;

  // -- sending: the compiled half of armature/detail/request.hpp
  std::byte* find_room(detail::Outgoing& out, std::size_t bytes);
  /// nullptr when room was only found after what came in had been executed.
  std::byte* find_room_at_once(detail::Outgoing& out, std::size_t bytes);
  /// The same for a block, which is waited for while more is on its way than should be.
  std::byte* find_block_at_once(const detail::Outgoing& out, std::size_t bytes);
  /// Undoes a use().
  void let_go() { mutex_.unlock(); }
  void commit_indirect(detail::Outgoing& out);
  void wake(detail::Outgoing& out);
  /// Publishes what is held back.
  void flush() {
    if (!publishes_directly()) publish_held();
  }

  // -- who am I, what is going on
  [[nodiscard]] space::AddressSpace& space() const override { return space_; }
  /// There may be more to do at once.
  void got_on() override {
    std::atomic<std::uint64_t>& done = context_.done;
    // Where nobody else counts, the bus need not be locked.
    if (has_service_)
      done.fetch_add(1, std::memory_order_relaxed);
    else
      done.store(done.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  [[nodiscard]] bool in_method() const override { return sender_.level > 0; }
  /// Whether it is no time to let others in, as a method is under way, which its own statements do
  /// not interrupt. Where the rank has called it itself, it catches up behind it.
  [[nodiscard]] bool puts_off() {
    if (!in_method()) return false;
    return sender_.is_late = true;
  }
  /// When a method is over that the rank has called itself: lets others in, and waits while this
  /// rank keeps too much for them.
  void catch_up();
  [[nodiscard]] Objects& objects() { return objects_; }
  [[nodiscard]] Replies& replies() { return replies_; }
  [[nodiscard]] Blocks& blocks() { return blocks_; }
  [[nodiscard]] Fences& fences() { return fences_; }
  [[nodiscard]] const Settings& settings() const { return settings_; }
  void set(const Settings& settings);
  [[nodiscard]] detail::Sender& sender() { return sender_; }
  /// Whose that is.
  [[nodiscard]] static Endpoint& of(detail::Sender& sender) {
    return *static_cast<OwnSender&>(sender).endpoint;
  }
  /// Other ranks run on this thread, in turns.
  [[nodiscard]] bool shares_thread() const { return context_.scheduler != nullptr; }
  /// The team of all ranks.
  [[nodiscard]] const Team& everyone() const { return everyone_; }

  /// Requests to and from that rank, for the fence.
  [[nodiscard]] std::uint64_t sent(int to) const override {
    const auto index = static_cast<std::size_t>(to);
    return lanes_.find(index) != nullptr ? outgoing_[index].sent : 0;
  }
  [[nodiscard]] std::uint64_t sent() const override;
  /// To whom any have gone.
  [[nodiscard]] const std::vector<int>& sent_to() const { return lanes_.indices(); }
  [[nodiscard]] std::uint64_t executed(int from) const override;
  [[nodiscard]] std::uint64_t executed() const override;

  /// All ranks of the job begin anew with each other, as ranks go to other nodes: a fence of all is
  /// over, and nothing is on its way. First nobody knows channels of others any more, then nobody
  /// has any. What was counted stays.
  void forget_channels();
  void close_channels();
  /// rmi_wait(): how many executed requests have been waited for.
  std::uint64_t waited = 0;
  void executed_before(std::uint64_t count) override { waited = std::max(waited, count); }

  using ErrorHandler = std::function<void(Rank from, std::string_view message)>;
  ErrorHandler on_error;
  /// A method that was called by async threw on this rank: the job's handler has it; else, or when
  /// that throws in turn, the job ends.
  void call_failed(Rank caller, const std::string& text) noexcept;

  /// Continuations of these run when somebody else has settled them, which is looked for.
  void watch(std::shared_ptr<detail::FutureBase> future);
  /// Settles it when the rank that it waits for has died, where the job goes on. By whoever has the
  /// endpoint.
  [[nodiscard]] bool is_lost(detail::FutureBase& future);
  /// Continuations of this one run soon: it has been settled here.
  void is_due(std::shared_ptr<detail::FutureBase> future);

 private:
  struct OwnSender : detail::Sender {
    Endpoint* endpoint = nullptr;
  };
  struct Lane {  // the sender's side, beside detail::Outgoing
    transport::Channel* channel = nullptr;
    Overflow overflow;
    std::uint64_t in_channel = 0;    // out.written, while requests overflow
    std::byte* committed = nullptr;  // up to here requests have been seen by commit_indirect
    std::uint64_t consumed = 0;      // of the channel, when the overflow was drained last
  };
  struct Repeated {  // what the last `first` of a channel names
    detail::RequestHeader header;
    detail::CodePointer pointer;
    // Found out when it is called; again when an object has gone.
    const detail::Method* what = nullptr;
    std::uint32_t changes = 0;
    void* object = nullptr;
    std::uintptr_t code = 0;
  };
  struct Incoming {
    Incoming(int the_from, transport::Channel& the_channel)
        : from(the_from), channel(the_channel), capacity(the_channel.capacity) {}
    const int from;
    transport::Channel& channel;
    const std::uint64_t capacity;
    std::uint64_t read = 0;
    std::uint64_t released = 0;  // as far as the sender has been told
    std::uint64_t executed = 0;  // requests whose method is over
    std::uint64_t begun = 0;     // requests whose method has begun, where they are traced
    Stream stream;
    std::uint64_t look_at_ns = 0;       // not before: it is a stream
    std::uint64_t lagged_until_ns = 0;  // when this look was put off till then
    Repeated first;
    Pin* pin = nullptr;  // requests that methods under way look into
  };

  void execute_all();
  bool has_work_now();
  void serve();

  // sending
  void publish_held();
  std::byte* look_for_room(detail::Outgoing& out, std::size_t bytes);
  void open(int to);
  [[nodiscard]] bool make_room(detail::Outgoing& out, Lane& lane, std::size_t bytes);
  std::byte* overflow(detail::Outgoing& out, Lane& lane, std::size_t bytes);
  void drain_overflow(int to);
  void publish(detail::Outgoing& out, Lane& lane);
  [[nodiscard]] bool has_to_send() const;
  [[nodiscard]] bool publishes_directly() const {
    return settings_.aggregation <= 1 && !has_service() && seal_bytes_ == 0;
  }
  void choose_way(detail::Outgoing& out) const {
    // Of a trace commit_indirect sees each.
    out.direct = publishes_directly() && !traces_;
    const bool counts_itself =
        !has_service() && seal_bytes_ == 0 && settings_.aggregation > 1 && !traces_;
    out.held_max = counts_itself ? settings_.aggregation - 1 : 0;
  }
  [[nodiscard]] int index_of(const detail::Outgoing& out) const {
    return static_cast<int>(&out - outgoing_);
  }

  // receiving
  void find_new_channels();
  struct Found {
    std::uint64_t statements, bytes;
  };
  [[nodiscard]] bool is_too_early(Incoming& in);
  void note_stream(Incoming& in, const Found& found);
  [[nodiscard]] std::uint64_t look(Incoming& in);
  class OnTop;
  void receive(Incoming& in);
  void execute_until(std::uint64_t published, Incoming& in, std::uint8_t depth);
  void release(Incoming& in);
  void trace_begin(Incoming& in);

  // executing
  void repeat(Incoming& in, const detail::RequestHeader& header, const std::byte* at,
              std::uint64_t stop);
  const detail::Method* find_repeated(Repeated& first, detail::Call& call);
  void execute(Incoming& in, const detail::RequestHeader& header, const std::byte* at);
  /// Where the reply goes and the arguments lie; the block, when they lie in one.
  std::byte* locate(detail::Call& call, const detail::RequestHeader& header, const std::byte* at);
  bool fetch(detail::Call& call);
  template <class F>
  void guarded(detail::Call& call, F&& f);
  const detail::Method* find(detail::Call& call, const detail::RequestHeader& header);
  void run(Incoming& in, detail::Call& call, const detail::RequestHeader& header,
           const detail::Method*& what);
  void run_pinned(Incoming& in, detail::Call& call, const detail::RequestHeader& header,
                  const detail::Method& what);
  void failed(detail::Call& call, Errc code, const std::string& text, bool executed) noexcept;
  void threw(detail::Call& call, const detail::Method* what, Errc code, const char* text) noexcept;
  void gone(detail::Call& call, const detail::RequestHeader& header, const detail::Method& what);
  [[nodiscard]] const detail::Method& method(std::uint64_t token);
  [[nodiscard]] bool may_nest(Incoming& in, std::uint64_t published, std::uint8_t depth);
  [[nodiscard]] bool leads_deeper(Incoming& in, std::uint64_t published, std::uint8_t depth);
  void settle_watched();
  void run_due();

  // back pressure
  [[nodiscard]] std::size_t backlog();
  [[nodiscard]] bool keeps_too_much();
  [[nodiscard]] std::size_t overflow_bytes(int to) const {
    return lanes_.find(static_cast<std::size_t>(to))->overflow.bytes();
  }
  [[nodiscard]] int full_because_of() const;
  void show_that_full(int because_of);
  bool take_in_from_circle(int because_of, std::uint64_t now_ns);
  bool take_in(Incoming& in);
  [[nodiscard]] bool must_hold_back() {
    return (!overflowing_.empty() || blocks_.is_full(0) || shows_that_full_) && keeps_too_much();
  }
  void take_in_a_slice();

  wait::RankContext& context_;
  space::AddressSpace& space_;
  Settings settings_;
  const bool has_service_;
  const std::size_t seal_bytes_;  // at the end of each request, or 0
  const bool may_lag_;            // behind a stream
  const bool traces_;             // armature run --trace
  Team everyone_;
  OwnSender sender_;
  const space::Newcomers& channels_;
  detail::Outgoing* const outgoing_;  // to each rank, in the band's head
  base::SparseTable<Lane> lanes_;
  std::vector<int> overflowing_;
  // Each stays in place: methods may wait, and meet channels that are new.
  std::vector<std::unique_ptr<Incoming>> incoming_;
  std::uint32_t channels_seen_ = 0;
  // Of channels that were forgotten, by sender; made when it is needed.
  std::unique_ptr<base::SparseTable<std::uint64_t>> executed_before_;
  std::uint64_t turns_ = 0;              // how often what came in was executed
  std::byte* unpacked_block_ = nullptr;  // of the method on top: not needed once it waits
  std::size_t backlog_seen_ = 0;
  std::uint64_t backlog_since_ns_ = 0;  // it has not shrunk since
  std::size_t slice_turn_ = 0;
  std::uint64_t slice_ns_ = 0;  // when it took in something of the next ring all the same
  bool shows_that_full_ = false;
  std::uint64_t asked_for_circle_ns_ = 0;
  /// So far ahead the lines of requests are asked for, where they have been published.
  static constexpr std::size_t ahead_bytes = 1536;
  bool answered_ = false;                  // since it was last set to false
  std::uint64_t last_token_ = UINT64_MAX;  // which no method has
  const detail::Method* last_method_ = nullptr;
  Objects objects_;
  Replies replies_;
  Blocks blocks_;
  Fences fences_;
  std::vector<std::shared_ptr<detail::FutureBase>> watched_;
  std::uint64_t look_at_watched_ns_ = 0;  // not before, where they are many
  std::deque<std::shared_ptr<detail::FutureBase>> due_;

  std::recursive_mutex mutex_;
  std::atomic<bool> service_ends_ = false;
  std::thread service_;
};

inline constexpr wait::ContextSlot<Endpoint> endpoint_slot{3};

/// The same as this_endpoint(), where the inlined half does not know.
[[gnu::cold]] Endpoint& find_endpoint(const char* call);
/// The calling rank's; throws Error(misuse) naming the call outside a job.
inline Endpoint& this_endpoint(const char* call) {
  return detail::sender != nullptr ? Endpoint::of(*detail::sender) : find_endpoint(call);
}

}  // namespace armature::rmi
