// Atomics of other nodes' memory: pending requests, whose answers the target's process sends.
#include <memory>

#include "net/network.hpp"
#include "rma/pending_requests.hpp"
#include "rma/protocol.hpp"
#include "rma/remote.hpp"
#include "wait/suppress_thread.hpp"

namespace armature::rma {
namespace {

/// A pending atomic, which keeps the value that it has found.
class PendingAtomic : public PendingRequest {
 public:
  using PendingRequest::PendingRequest;
  ~PendingAtomic() override { retire(); }
  [[nodiscard]] std::uint64_t found() const { return found_; }

 private:
  bool take(const transport::Arrived& answer) override {
    found_ = answer.head<ValueRecord>().value;
    return true;
  }
  std::uint64_t found_ = 0;
};

/// A pending atomic whose value a future delivers.
struct AsyncAtomic final : detail::Request, PendingAtomic {
  explicit AsyncAtomic(Rank rank) : PendingAtomic(rank) {
    is_complete = [](Request& request) { return static_cast<AsyncAtomic&>(request).is_answered(); };
    Request::check = [](Request& request) {
      auto& atomic = static_cast<AsyncAtomic&>(request);
      atomic.PendingRequest::check("atomic");
      atomic.value = atomic.found();
    };
    release = [](Request& request) { delete &static_cast<AsyncAtomic&>(request); };
    count(sizeof found());
  }
};

void ask(Atomic what, std::uint64_t request, Asked asked) {
  what.record.request = request;
  ask(*net::network(), what.rank, Kind::atomic, std::as_bytes(std::span(&what.record, 1)), {},
      asked);
}

}  // namespace

detail::Request* ask_for_atomic(const Atomic& what, Finish finish, std::uint64_t& value) {
  if (finish == Finish::now) {
    const wait::SuppressThread suppressed;
    PendingAtomic found(what.rank);
    ask(what, found.number(), Asked::now);
    found.wait(what.call);
    value = found.found();
    return nullptr;
  }
  // First: who waits may go to another process, and requests are numbered by process.
  wait::make_room_for_operation(what.record.bytes, what.call);
  net::network()->flush().await_room(what.rank, what.call);
  auto found = std::make_unique<AsyncAtomic>(what.rank);
  ask(what, found->number(), Asked::with_others);
  return found.release();
}

}  // namespace armature::rma
