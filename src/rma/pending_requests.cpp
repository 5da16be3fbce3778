#include "rma/pending_requests.hpp"

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/runtime.hpp"
#include "rma/copied.hpp"
#include "rma/remote_records.hpp"
#include "wait/wait.hpp"

namespace armature::rma {

using base::fail;
using net::network;
using transport::Arrived;
using transport::Link;
using Lock = transport::Links::Lock;

namespace {

/// Requests by number: a place below, how often it was used above. Under the links' lock.
struct Table {
  static constexpr std::size_t runtime_place = 4;

  struct Place {
    PendingRequest* request = nullptr;
    std::uint32_t use = 0;
  };
  std::vector<Place> places;
  std::vector<std::uint32_t> free;
};

Table& table() { return base::state<Table>(); }

}  // namespace

namespace {

/// Lets other ranks run while a rank waits alone, if all are to roll back: what it waits for may
/// not come before that, so it must make room.
void stand_by() {
  if (network()->mapping().header().quiesce.is_to_reconfigure())
    wait::let_others_run();
  else
    sched_yield();
}

}  // namespace

PendingRequest::PendingRequest(Rank rank) : rank_(rank), process_(network()->links().process()) {
  const Lock locked(network()->links().lock());
  Table& all = table();
  if (all.free.empty()) {
    all.free.push_back(static_cast<std::uint32_t>(all.places.size()));
    all.places.emplace_back();
  }
  const std::uint32_t place = all.free.back();
  all.free.pop_back();
  all.places[place].request = this;
  number_ = (static_cast<std::uint64_t>(++all.places[place].use) << 32) | place;
  // Lost since the caller looked: what was asked before has been given up, and nobody will do so
  // again.
  if (network()->peers().goes_on() && network()->link_to(rank).is_lost()) give_up();
}

PendingRequest::~PendingRequest() { retire(); }

bool PendingRequest::is_of_process() const { return process_ == network()->links().process(); }

void PendingRequest::retire() {
  if (network() == nullptr || std::exchange(retired_, true)) return;
  // Somebody may be about to write the answer in the process that has asked.
  const auto may_come = [&] {
    const Link& link = network()->link_to(rank_);
    return !is_of_process() && !is_answered() && !link.is_lost() && !link.said_bye();
  };
  while (may_come()) stand_by();
  const Lock locked(network()->links().lock());
  const auto place = static_cast<std::uint32_t>(number_);
  // It was answered, here or in another process.
  if (place >= table().places.size() || table().places[place].request != this) return;
  table().places[place].request = nullptr;
  table().free.push_back(place);
}

bool PendingRequest::all_are_answered() {
  return std::all_of(table().places.begin(), table().places.end(), [](const auto& place) {
    return place.request == nullptr || place.request->is_answered();
  });
}

void PendingRequest::forget_all() {
  const Lock locked(network()->links().lock());
  table() = {};
}

void PendingRequest::on_answer(const Arrived& answer) {
  const auto number = answer.head<std::uint64_t>();
  const auto place = static_cast<std::uint32_t>(number);
  Table& all = table();
  if (place >= all.places.size() || all.places[place].use != number >> 32) return;
  PendingRequest* const request = all.places[place].request;
  if (request == nullptr || answer.record.from != request->rank_) return;  // given up
  if (!request->take(answer)) return;
  all.places[place].request = nullptr;
  all.free.push_back(place);
  request->finish();
  // A thread that runs no rank looks by itself.
  const int asker = answer.record.to;
  if (asker >= 0 && asker < network()->mapping().ranks())
    wait::notify(network()->mapping().slot(answer.record.to));
}

const std::array<transport::Handling, 5> PendingRequest::handlers{{
    {.kind = transport::number_of(Kind::data), .handler = on_answer},
    {.kind = transport::number_of(Kind::value), .handler = on_answer},
    {.kind = transport::number_of(Kind::checked), .handler = on_answer},
    {.kind = transport::number_of(Kind::keyed), .handler = on_answer},
    {.kind = transport::number_of(Kind::lock_holder), .handler = on_answer},
}};

void PendingRequest::give_up(int process) {
  // A job that ends with its first dead rank is about to end, and that rank's message is first.
  if (!network()->peers().goes_on()) return;
  for (const auto& place : table().places)
    if (place.request != nullptr &&
        network()->mapping().slot(place.request->rank_).process == process)
      place.request->give_up();
}

void PendingRequest::check(const char* call) const {
  if (lost_.load(std::memory_order_relaxed))
    fail(Errc::rank_lost,
         fmt::format("{}: rank {} has died, or its node cannot be reached any more", call,
                     static_cast<int>(rank_)));
}

void PendingRequest::wait(const char* call) {
  wait::WaitFor what{.what = space::Awaiting::completion, .peer = rank_, .call = call};
  wait::wait_until(what, [&] {
    if (is_answered()) return true;
    network()->try_poll();
    return is_answered();
  });
  check(call);
}

void PendingRequest::wait_alone(const char* call) {
  while (!is_answered()) {
    network()->peers().require_reachable(rank_, call);
    network()->try_poll();
    stand_by();
  }
  check(call);
}

bool PendingGet::take(const Arrived& answer) {
  const auto bytes = answer.rest(sizeof(DataRecord));
  if (bytes.size() > left_ || into_.put(bytes.data(), bytes.size()) != bytes.size())
    fail(Errc::corrupt,
         fmt::format("rank {} sent more than it was asked for", static_cast<int>(rank())));
  count_copied_in(bytes.size());
  left_ -= bytes.size();
  return left_ == 0;
}

AsyncGet::AsyncGet(Rank rank, IovCursor into, std::size_t bytes)
    : PendingGet(rank, std::move(into), bytes) {
  is_complete = [](Request& request) { return static_cast<AsyncGet&>(request).is_answered(); };
  Request::check = [](Request& request) {
    static_cast<AsyncGet&>(request).PendingRequest::check("get");
  };
  release = [](Request& request) { delete &static_cast<AsyncGet&>(request); };
}

}  // namespace armature::rma
