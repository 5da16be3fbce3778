// Records of layers are messages in a context of their own, whose tag says which service and kind
// they are. So they come by the rings between ranks, near or far, in order, and what is on its way
// lies in the ranks' segments. The way rejected is records of links, which only go between nodes,
// to processes, and are handled by whichever thread polls. Each layer would need a second way on a
// node, a lock around what it keeps, and something to send records after ranks that have moved.
#include "layer/work.hpp"

#include <algorithm>
#include <utility>

#include "armature/error.hpp"
#include "base/fail.hpp"
#include "layer/services.hpp"
#include "wait/ordered.hpp"
#include "wait/wait.hpp"

namespace armature::layers {

using message::Label;
using message::Messages;

namespace {

constexpr unsigned kind_bits = 8;
/// Records kept for which there is no room; in handlers there is no bound.
constexpr std::size_t outgoing_max = 1024, outgoing_bytes_max = std::size_t{1} << 20;
/// Records handled before the rank looks at what it waits for.
constexpr int handled_at_once_max = 64;

constexpr Label any_record{message::context::records, Label::any, Label::any};

std::int32_t tag_of(std::uint32_t service, std::uint8_t kind) {
  return static_cast<std::int32_t>(service << kind_bits | kind);
}

/// Whether a rank has anything to do for a layer, beside what it is asked for.
bool has_something_to_do(const layer::Service& service) {
  return !service.handlers.empty() || service.poll != nullptr || service.rank_failed != nullptr;
}

}  // namespace

Work::Outgoing::Outgoing(const message::Address& address, std::span<const std::byte> data)
    : bytes(data.begin(), data.end()),
      piece{bytes.data(), bytes.size()},
      request(address, std::span(&piece, 1)) {}

Work::Incoming::Incoming(Messages& messages, std::unique_ptr<message::Arrival> arrival)
    : label(arrival->label()),
      bytes(arrival->bytes),
      piece{bytes.data(), bytes.size()},
      request(label, std::span(&piece, 1), message::TooLong::is_kept) {
  messages.start(request, std::move(arrival));
}

Work::Work(wait::RankContext& rank) : rank_(rank) {
  work_slot.put(rank_.slots, this);
  is_source_ = std::ranges::any_of(
      added(), [](const Added& one) { return has_something_to_do(one.of_layer); });
  if (is_source_) rank_.add(*this);
}

Work::~Work() {
  if (is_source_) rank_.remove(*this);
  if (incoming_) messages().abandon(incoming_->request);
  work_slot.put(rank_.slots, nullptr);
}

Work& this_work(const char* call) { return *work_slot.in(wait::this_rank(call).slots); }

bool Work::is_in_handler() const {
  return rank_.handler.load(std::memory_order_relaxed) == wait::number_of_thread();
}

namespace {

/// Also where memory is short in the middle.
struct HandlingEnds {
  ~HandlingEnds() { is_handling.store(false, std::memory_order_release); }
  std::atomic<bool>& is_handling;
};

}  // namespace

void Work::deliver() {
  // Acquire, release: what the other thread's handlers have written is seen by this one's.
  if (is_held_.load(std::memory_order_relaxed) ||
      is_handling_.exchange(true, std::memory_order_acquire))
    return;
  const HandlingEnds ends{is_handling_};
  bool any = handle_records();
  any = look_at_deaths() || any;
  const bool polled = poll();
  any = push() || polled || any;
  looks_again_.store(polled, std::memory_order_relaxed);
  if (any) rank_.done.fetch_add(1, std::memory_order_relaxed);
}

bool Work::handle_records() {
  bool any = handle_incoming();
  for (int i = 0; i < handled_at_once_max && incoming_ == nullptr; ++i) {
    std::unique_ptr<message::Arrival> arrival = messages().take(any_record);
    if (arrival == nullptr) return any;
    if (arrival->is_here()) {
      any = handle(arrival->label(), arrival->data);
    } else {
      incoming_ = std::make_unique<Incoming>(messages(), std::move(arrival));
      any = handle_incoming() || any;
    }
  }
  return any;
}

/// Handles the record that is being received. Those behind it wait until it is here: records of a
/// rank are handled in their order.
bool Work::handle_incoming() {
  if (incoming_ == nullptr || !messages().advance(incoming_->request)) return false;
  const auto whole = std::exchange(incoming_, nullptr);
  return whole->request.outcome.is_lost || handle(whole->label, whole->bytes);
}

namespace {

/// Marks the calling thread as in a handler while it lives.
class InHandler {
 public:
  explicit InHandler(std::atomic<std::uint32_t>& handler) : handler_(handler) {
    handler_.store(wait::number_of_thread(), std::memory_order_relaxed);
  }
  InHandler(const InHandler&) = delete;
  InHandler& operator=(const InHandler&) = delete;
  ~InHandler() { handler_.store(0, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint32_t>& handler_;
};

}  // namespace

bool Work::handle(const Label& label, std::span<const std::byte> bytes) noexcept {
  const auto tag = static_cast<std::uint32_t>(label.tag);
  wait::hear_from(label.source);
  const std::size_t service = tag >> kind_bits, kind = tag & ((1u << kind_bits) - 1);
  // Processes that have other services do not join.
  ARMATURE_ASSERT(service < added().size());
  const std::vector<layer::Handler>& handlers = added()[service].of_layer.handlers;
  ARMATURE_ASSERT(kind < handlers.size());
  const InHandler here(rank_.handler);
  if (handlers[kind] != nullptr) handlers[kind]({Rank(label.source), rank_.space.me(), bytes});
  return true;
}

bool Work::look_at_deaths() noexcept {
  const space::ControlHeader& job = rank_.space.header();
  const std::uint32_t deaths = job.gone.deaths.load(std::memory_order_acquire);
  if (deaths_seen_ == deaths || job.settings.on_death != space::OnDeath::go_on) return false;
  deaths_seen_ = deaths;
  is_told_dead_.resize(static_cast<std::size_t>(rank_.space.ranks()));
  const InHandler here(rank_.handler);
  for (int rank = 0; rank < rank_.space.ranks(); ++rank) {
    const auto place = static_cast<std::size_t>(rank);
    if (is_told_dead_[place] ||
        rank_.space.slot(rank).life.load(std::memory_order_acquire) != space::Life::dead)
      continue;
    is_told_dead_[place] = true;
    for (const Added& one : added())
      if (one.of_layer.rank_failed != nullptr)
        one.of_layer.rank_failed(rank_.space.me(), Rank(rank));
  }
  return true;
}

bool Work::poll() noexcept {
  bool any = false;
  const InHandler here(rank_.handler);
  for (const Added& one : added())
    if (one.of_layer.poll != nullptr) any = one.of_layer.poll(rank_.space.me()) || any;
  return any;
}

/// Lets go of what has been sent meanwhile.
bool Work::push() {
  const std::lock_guard locked(mutex_);
  bool any = false;
  std::erase_if(outgoing_, [&](const std::unique_ptr<Outgoing>& one) {
    if (!messages().advance(one->request)) return false;
    outgoing_bytes_ -= one->bytes.size();
    return any = true;
  });
  return any;
}

bool Work::is_full(std::size_t part) {
  const std::lock_guard locked(mutex_);
  return outgoing_.size() * part > outgoing_max || outgoing_bytes_ * part > outgoing_bytes_max;
}

/// Waits until half of what may be kept is left.
void Work::wait_for_room(int to) {
  wait::WaitFor wait{.what = space::Awaiting::room, .peer = to, .call = "send_record"};
  wait::wait_until(wait, [&] {
    (void)push();
    return !is_full(2);
  });
}

bool Work::send(std::uint32_t service, std::uint8_t kind, int to,
                std::span<const std::byte> bytes) {
  const space::AddressSpace& space = rank_.space;
  if (space.header().settings.on_death == space::OnDeath::go_on &&
      space.slot(to).life.load(std::memory_order_acquire) == space::Life::dead)
    return false;
  const message::Address address{to, message::context::records, tag_of(service, kind)};
  if (messages().send_at_once(address, bytes, "send_record")) return true;
  auto outgoing = std::make_unique<Outgoing>(address, bytes);
  messages().start(outgoing->request, "send_record");
  try {
    if (messages().advance(outgoing->request)) return !outgoing->request.is_lost;
    const std::lock_guard locked(mutex_);
    outgoing_.push_back(std::move(outgoing));
    outgoing_bytes_ += bytes.size();
  } catch (...) {
    messages().abandon(outgoing->request);
    throw;
  }
  if (is_in_handler() || !is_full(1)) return true;
  try {
    wait_for_room(to);
  } catch (const Error& error) {
    if (error.code() != Errc::rank_lost) throw;
    return false;
  }
  return true;
}

}  // namespace armature::layers
