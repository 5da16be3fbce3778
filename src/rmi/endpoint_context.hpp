#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "armature/detail/request.hpp"
#include "rmi/settings.hpp"
#include "space/address_space.hpp"
#include "wait/rank_context.hpp"
#include "wait/work_source.hpp"

namespace armature::rmi {

class CallFailures;
class Endpoint;

/// Shared by the parts of an endpoint: whose it is, how it is set, and who uses it at the moment.
///
/// Invariant: everything of an endpoint is used by one thread, the rank's; with a service thread by
/// whichever of the two holds use().
struct EndpointContext {
  using Use = std::unique_lock<std::recursive_mutex>;
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
  [[nodiscard]] Use use() { return has_service ? Use(mutex) : Use(); }
  /// Whether a method is under way.
  [[nodiscard]] bool in_method() const { return sender.level > 0; }
  /// Whether it is no time to let others in, as a method is under way, which its own one-way calls
  /// do not interrupt. Where the rank has called it itself, it catches up behind it.
  [[nodiscard]] bool puts_off() {
    if (!in_method()) return false;
    return sender.is_late = true;
  }
  /// Counts progress: there may be more to do at once.
  void made_progress() {
    std::atomic<std::uint64_t>& done = rank.done;
    // The bus need not be locked while nobody else counts.
    if (has_service)
      done.fetch_add(1, std::memory_order_relaxed);
    else
      done.store(done.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  /// Each request is seen by its receiver as soon as it is written.
  [[nodiscard]] bool publishes_directly() const {
    return settings.aggregation <= 1 && !has_service && checksum_bytes == 0;
  }

  wait::RankContext& rank;
  space::AddressSpace& space;
  wait::WorkSource& endpoint;
  Settings settings;
  const bool has_service;
  const std::size_t checksum_bytes;  // at the end of each request, or 0
  const bool traces;                 // armature run --trace
  OwnSender sender;
  std::uint64_t rounds = 0;  // how often what had come in was executed
  std::recursive_mutex mutex;
};

}  // namespace armature::rmi
