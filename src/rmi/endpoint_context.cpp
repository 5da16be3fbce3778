#include "rmi/endpoint_context.hpp"

#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "rmi/request_checksum.hpp"
#include "wait/cost_model.hpp"

namespace armature::rmi {
namespace {

/// A prediction checks in full to see all transfers. Checksums would be in its times: to find the
/// place of a call takes far longer than the call.
bool has_checksums(const wait::RankContext& rank) {
  return rank.space.checks_in_full() && wait::CostModel::of_job() == nullptr;
}

}  // namespace

EndpointContext::EndpointContext(wait::RankContext& the_rank, const Settings& the_settings,
                                 wait::WorkSource& the_endpoint)
    : rank(the_rank),
      space(the_rank.space),
      endpoint(the_endpoint),
      settings(the_settings),
      has_service(the_settings.service_thread),
      is_shared(the_settings.service_thread || the_settings.program_threads),
      checksum_bytes(has_checksums(the_rank) ? sizeof(RequestChecksum) : 0),
      called_at(checksum_bytes != 0 ? std::make_unique<CalledAt>() : nullptr) {
  if (is_shared && rank.scheduler != nullptr)
    base::fail(
        Errc::start,
        "ARMATURE_SERVICE_THREADS, ARMATURE_PROGRAM_THREADS: ranks that take turns on a "
        "thread, as virtual and simulated ones do, have no other threads: calls are executed "
        "when a rank waits");
  if (the_settings.program_threads && space.header().processes != space.header().ranks)
    base::fail(Errc::start,
               "ARMATURE_PROGRAM_THREADS: in a process of several ranks (armature run --threads), "
               "threads that the program starts are of no rank, and make no remote calls");
  sender.ranks = static_cast<std::uint32_t>(space.ranks());
  sender.until_poll = settings.poll_every;
}

void EndpointContext::require_program_threads(const char* call) const {
  if (rank.scheduler != nullptr)
    base::fail(Errc::misuse,
               fmt::format("{}: ranks that take turns on a thread, as virtual and simulated ones "
                           "do, have no threads of the program that may call",
                           call));
  const space::ControlHeader& job = space.header();
  if (job.processes != job.ranks)
    base::fail(Errc::misuse,
               fmt::format("{}: in a process of several ranks (armature run --threads), threads "
                           "that the program starts are of no rank, and make no remote calls",
                           call));
}

// The thread that executes has the lock, since what it executes holds it. One that has not got it
// has nothing to let go of, and need not wait for it.
LetOthersCall::LetOthersCall(EndpointContext& context) : context_(context) {
  if (!context.is_shared || !executes_calls()) return;
  {
    const EndpointContext::Use looking(context.mutex, std::try_to_lock);
    if (!looking.owns_lock() || !context.mutex.is_nested() || context.executor == 0) return;
  }
  held_ = std::exchange(context.held_, 0);
  holder_ = std::exchange(context.sender.holder, nullptr);
  chain_ = std::exchange(context.sender.depth, std::uint8_t{0});
  is_executor_ = context.executor == wait::number_of_thread();
  if (is_executor_) outer_chain_ = std::exchange(context.depth_of_waiting, chain_);
  depth_ = context.mutex.let_go_of_all();
}

void LetOthersCall::take_again() {
  context_.mutex.take_again(depth_);
  context_.held_ = held_;
  context_.sender.holder = holder_;
  context_.sender.depth = chain_;
  if (is_executor_) context_.depth_of_waiting = outer_chain_;
}

void EndpointContext::hold() {
  Use in_use(mutex);
  if (!executes_calls() && !holder_) holder_.emplace("remote call");
  ++held_;
  (void)in_use.release();
}

// The endpoint goes with the job, which does not end while this thread is in a call.
void EndpointContext::let_go() {
  const CallBeside under_way("remote call");
  if (--held_ == 0) holder_.reset();
  mutex.unlock();
}

}  // namespace armature::rmi
