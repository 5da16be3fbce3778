#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "armature/detail/request.hpp"
#include "rmi/called_at.hpp"
#include "rmi/endpoint_mutex.hpp"
#include "rmi/kept_wake.hpp"
#include "rmi/settings.hpp"
#include "space/address_space.hpp"
#include "wait/rank_context.hpp"
#include "wait/thread_call.hpp"
#include "wait/work_source.hpp"

namespace armature::rmi {

class CallFailures;
class Endpoint;

/// Shared by the parts of an endpoint: whose it is, how it is set, and who uses it at the moment.
///
/// Invariant: everything of an endpoint is used by one thread, the rank's. Where several threads
/// share it, it is used by the one that holds use().
///
/// Threads share it where the rank has a service thread, or where threads that the program has
/// started may call (RmiSettings::program_threads).
/// * Calls that come are executed by the rank's own thread and its service thread, one at a time.
///   The others execute none: their call may come at any point of the program, and a method there
///   would meet the rank's data half changed.
/// * A request is written by a thread that holds the endpoint, from finding room to committing it.
///   So the requests of a rank to another are executed in the order in which its threads made them.
/// * A thread that executes none holds the endpoint only while it gets on: it lets go of it before
///   it waits for room. Else two ranks could fill each other's channels, and nobody would execute.
/// * Waiting for an answer needs no endpoint: who answers writes into the reply slot. Such a thread
///   polls the network itself meanwhile, and does not sleep on the rank's notifier.
/// * A method that waits for an answer lets go of the endpoint, but stays the one that executes:
///   concurrent methods call meanwhile, for which it may be waiting, and nothing else is executed.
struct EndpointContext {
  using Use = std::unique_lock<EndpointMutex>;
  /// The inlined half's view of the rank, by which its endpoint is found.
  struct OwnSender : detail::Sender {
    Endpoint* endpoint = nullptr;
    CallFailures* failures = nullptr;
  };

  /// `the_endpoint` executes what has come in, while a part of it waits.
  EndpointContext(wait::RankContext& the_rank, const Settings& the_settings,
                  wait::WorkSource& the_endpoint);
  EndpointContext(const EndpointContext&) = delete;
  EndpointContext& operator=(const EndpointContext&) = delete;
  ~EndpointContext() = default;

  /// Held while a method runs, and taken again by what the method calls.
  [[nodiscard]] Use use() { return is_shared ? Use(mutex) : Use(); }
  /// Holds a shared endpoint beyond the function that calls this. The process does not leave its
  /// job until let_go().
  void hold();
  void let_go();
  /// Whether another thread executes calls, whose method waits: this one, which holds the endpoint,
  /// executes none meanwhile.
  [[nodiscard]] bool another_executes() const {
    return executor != 0 && executor != wait::number_of_thread();
  }
  /// Whether a method is under way, of the calling thread.
  [[nodiscard]] bool in_method() const { return sender.level > 0 && !another_executes(); }
  /// Whether a request of this thread is being written, or a continuation runs.
  [[nodiscard]] bool is_in_use() const { return held_ > 0 || continuing > 0; }
  /// Throws Error(misuse) naming the call where threads that the program starts are of no rank.
  void require_program_threads(const char* call) const;
  /// Whether it is no time to let others in, as a method is under way, which its own one-way calls
  /// do not interrupt. Where the rank has called it itself, it catches up behind it. Nor is it
  /// where another thread executes: that needs the endpoint to go on.
  [[nodiscard]] bool puts_off() {
    if (sender.level == 0 && !another_executes()) return false;
    return sender.is_late = true;
  }
  /// Counts progress: there may be more to do at once.
  void made_progress() {
    std::atomic<std::uint64_t>& done = rank.done;
    // The bus need not be locked while nobody else counts.
    if (is_shared)
      done.fetch_add(1, std::memory_order_relaxed);
    else
      done.store(done.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  /// Whether the calling thread executes calls beside the rank's own: the service thread, or one
  /// that tells of the failure of a concurrent method.
  [[nodiscard]] bool is_service_thread() const {
    return has_service && own_thread != std::this_thread::get_id();
  }
  /// Each request is seen by its receiver as soon as it is written.
  [[nodiscard]] bool publishes_directly() const {
    return settings.aggregation <= 1 && !is_shared && checksum_bytes == 0;
  }

  wait::RankContext& rank;
  space::AddressSpace& space;
  wait::WorkSource& endpoint;
  Settings settings;
  const bool has_service;
  bool is_shared;                    // changed while no other thread uses it
  const std::size_t checksum_bytes;  // at the end of each request, or 0
  // Where requests have checksums: the place of the call that is executed.
  std::unique_ptr<CalledAt> called_at;
  OwnSender sender;
  KeptWake kept_wake{space};
  std::uint64_t rounds = 0;  // how often what had come in was executed
  int continuing = 0;        // continuations under way
  int own_continuing = 0;    // of these, those that the rank's own thread runs
  const std::thread::id own_thread = std::this_thread::get_id();  // the rank's, unless it moves
  EndpointMutex mutex;
  std::uint32_t executor = 0;  // the thread that executes calls at the moment; 0: none
  bool passed_over = false;    // another looked meanwhile: it looks again when the executor is done
  // While the executor waits, and lets others call: the depth of what waits. Else nothing.
  std::optional<std::uint8_t> depth_of_waiting;

 private:
  friend class LetOthersCall;
  int held_ = 0;
  std::optional<wait::ThreadCall> holder_;  // the call of a thread that the program has started
};

/// The call that is executed while one lives has been taken in before: failures name its place.
class CalledAtBefore {
 public:
  CalledAtBefore(EndpointContext& context, const CalledAt& place) : context_(context) {
    if (context.called_at != nullptr) other_ = std::exchange(*context.called_at, place);
  }
  CalledAtBefore(const CalledAtBefore&) = delete;
  CalledAtBefore& operator=(const CalledAtBefore&) = delete;
  ~CalledAtBefore() {
    if (context_.called_at != nullptr) *context_.called_at = other_;
  }

 private:
  EndpointContext& context_;
  CalledAt other_;
};

/// Whether the calling thread executes calls: the rank's own, or its service thread.
inline bool executes_calls() { return detail::sender->ranks != 0; }

/// Counts the call of a thread that executes none (wait/thread_call.hpp), at no cost for others.
class CallBeside {
 public:
  explicit CallBeside(const char* call) {
    if (!executes_calls()) call_.emplace(call);
  }

 private:
  std::optional<wait::ThreadCall> call_;
};

/// Holds a shared endpoint for a request, which it is kept for when that is written.
class Held {
 public:
  explicit Held(EndpointContext& context) : context_(context) { context_.hold(); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    if (!is_kept_) context_.let_go();
  }
  void keep() { is_kept_ = true; }

 private:
  EndpointContext& context_;
  bool is_kept_ = false;
};

/// Lets others use a shared endpoint while a method of the calling thread waits for an answer. So
/// does a continuation for which a method of another thread waits.
class LetOthersCall {
 public:
  explicit LetOthersCall(EndpointContext& context);
  LetOthersCall(const LetOthersCall&) = delete;
  LetOthersCall& operator=(const LetOthersCall&) = delete;
  ~LetOthersCall() {
    if (depth_ > 0) take_again();
  }

 private:
  void take_again();

  EndpointContext& context_;
  int depth_ = 0;
  // These are kept aside: others would take them for their own. With the depth of a method that
  // waits, each call of another thread would be deeper than the one before.
  int held_ = 0;
  detail::Holder* holder_ = nullptr;
  std::uint8_t chain_ = 0;
  bool is_executor_ = false;
  std::optional<std::uint8_t> outer_chain_;
};

/// Lets go of what a thread that executes no calls holds, as it waits.
class LetGo {
 public:
  explicit LetGo(EndpointContext& context) : context_(context) { context_.let_go(); }
  LetGo(const LetGo&) = delete;
  LetGo& operator=(const LetGo&) = delete;
  ~LetGo() { context_.hold(); }

 private:
  EndpointContext& context_;
};

}  // namespace armature::rmi
