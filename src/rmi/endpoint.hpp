#pragma once

#include "armature/team.hpp"
#include "rmi/blocks.hpp"
#include "rmi/call_failures.hpp"
#include "rmi/dispatcher.hpp"
#include "rmi/endpoint_context.hpp"
#include "rmi/fence.hpp"
#include "rmi/flow_control.hpp"
#include "rmi/inbox.hpp"
#include "rmi/left_calls.hpp"
#include "rmi/method_threads.hpp"
#include "rmi/objects.hpp"
#include "rmi/outbox.hpp"
#include "rmi/replies.hpp"
#include "rmi/service_thread.hpp"
#include "rmi/settings.hpp"
#include "rmi/watched_futures.hpp"
#include "wait/context_slot.hpp"
#include "wait/rank_context.hpp"
#include "wait/work_source.hpp"

namespace armature::rmi {

/// A rank's end of all channels, made of its parts: what it sends (outbox), receives (inbox) and
/// executes (dispatcher), and when it takes nothing in (flow control). Tables hold what requests
/// name. Requests are executed in deliver(), one at a time, on the rank's own stack: when it waits,
/// polls, or looks for room.
class Endpoint final : public wait::WorkSource {
 public:
  using Use = EndpointContext::Use;

  Endpoint(wait::RankContext& context, const Settings& settings, Team everyone);
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;
  ~Endpoint() override = default;

  /// The endpoint of that sender.
  [[nodiscard]] static Endpoint& of(detail::Sender& sender) {
    return *static_cast<EndpointContext::OwnSender&>(sender).endpoint;
  }
  [[nodiscard]] Use use() { return context_.use(); }

  /// Executes what has arrived; publishes what was held back. Never blocks, but the methods may.
  /// Does nothing while another thread of the rank is at it, nor on one that executes no calls.
  void deliver() override;
  [[nodiscard]] bool has_come() override;
  /// Executes what has arrived from that rank, which has handed its turn over for it.
  bool deliver_from(int rank) override;
  /// Delivers for a rank that asks for it: what is there now is executed, streams too.
  void poll();
  /// Publishes what was held back, unless another thread is at it, or none but the rank's own is.
  void publish() override;
  /// Whether deliver() would find something.
  [[nodiscard]] bool has_work() override;
  void set(const Settings& settings);

  [[nodiscard]] space::AddressSpace& space() const { return context_.space; }
  [[nodiscard]] EndpointContext& context() { return context_; }
  [[nodiscard]] Objects& objects() { return objects_; }
  [[nodiscard]] Replies& replies() { return replies_; }
  [[nodiscard]] Blocks& blocks() { return blocks_; }
  [[nodiscard]] Outbox& outbox() { return outbox_; }
  [[nodiscard]] const Outbox& outbox() const { return outbox_; }
  [[nodiscard]] Inbox& inbox() { return inbox_; }
  [[nodiscard]] LeftCalls& left_calls() { return left_calls_; }
  [[nodiscard]] CallFailures& failures() { return dispatcher_.failures(); }
  [[nodiscard]] FlowControl& flow_control() { return flow_control_; }
  [[nodiscard]] Fences& fences() { return fences_; }
  [[nodiscard]] WatchedFutures& futures() { return futures_; }
  [[nodiscard]] ServiceThread& service() { return service_; }
  [[nodiscard]] MethodThreads& methods() { return methods_; }

 private:
  void deliver(EndpointMutex& shared);
  void execute_all();
  void execute_and_more();

  // Each part knows some of those before it. The thread ends first.
  EndpointContext context_;
  Objects objects_;
  Replies replies_;
  Blocks blocks_;
  Outbox outbox_;
  Dispatcher dispatcher_;
  MethodThreads methods_;
  Inbox inbox_;
  LeftCalls left_calls_;
  FlowControl flow_control_;
  WatchedFutures futures_;
  Fences fences_;
  ServiceThread service_;
};

inline constexpr wait::ContextSlot<Endpoint> endpoint_slot{3};

/// Does what this_endpoint() does, for a thread of which the inlined half does not know.
[[gnu::cold]] Endpoint& find_endpoint(const char* call);
/// The calling rank's, for the threads that execute its calls. Throws Error(misuse) naming the call
/// on others, and outside a job.
inline Endpoint& this_endpoint(const char* call) {
  return executes_calls() ? Endpoint::of(*detail::sender) : find_endpoint(call);
}

/// Returns the endpoint that a thread of the program may use, or nullptr.
[[gnu::cold]] Endpoint* shared_endpoint();
/// Returns shared_endpoint(), or throws Error(misuse) naming the call.
[[gnu::cold]] Endpoint& require_shared_endpoint(const char* call);
/// Returns the endpoint of the rank whose calls the calling thread makes; nullptr where it may make
/// none.
inline Endpoint* endpoint_of_caller() {
  return executes_calls() ? &Endpoint::of(*detail::sender) : shared_endpoint();
}
/// Returns the endpoint, or throws Error(misuse) naming the call.
inline Endpoint& endpoint_of_caller(const char* call) {
  return executes_calls() ? Endpoint::of(*detail::sender) : require_shared_endpoint(call);
}

}  // namespace armature::rmi
