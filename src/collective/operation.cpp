#include "collective/operation.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "message/label.hpp"
#include "team/show_breakdown.hpp"
#include "team/team_state.hpp"
#include "wait/notifier.hpp"
#include "wait/rank_context.hpp"

namespace armature::collective {
namespace {

std::uint32_t context_of(std::uint32_t team) {
  return message::context::first_of_collectives | team;
}
std::int32_t tag_of(std::uint32_t number) { return static_cast<std::int32_t>(number & INT32_MAX); }

/// Whether the receiver asks for its bytes, by a mailbox of its own.
bool is_asked_for(const Message& message) { return message.bytes > message::Sending::short_max; }

template <class... Arguments>
std::exception_ptr error(Errc code, fmt::format_string<Arguments...> text,
                         Arguments&&... arguments) {
  return std::make_exception_ptr(
      Error(code, fmt::format(text, std::forward<Arguments>(arguments)...)));
}

}  // namespace

Operation::Operation(OperationHost& host, const Team& team,
                     std::shared_ptr<const Schedule> schedule, Buffers buffers, Operator with,
                     const char* call)
    : host_(host),
      team_(team),
      members_(team.state()->members()),
      team_id_(team.state()->id()),
      schedule_(std::move(schedule)),
      first_(std::move(buffers.first)),
      with_(std::move(with)),
      call_(call) {
  needs_ranks = true;
  is_complete = [](Request& request) {
    auto& me = static_cast<Operation&>(request);
    if (!me.is_over()) me.host_.advance();
    return me.is_over();
  };
  check = [](Request& request) {
    if (const auto& failure = static_cast<Operation&>(request).failure_)
      std::rethrow_exception(failure);
  };
  release = [](Request& request) {
    auto& me = static_cast<Operation&>(request);
    if (!me.has_ended_) me.host_.remove(me);
    delete &me;
  };
  scratch_ = host_.take_scratch(schedule_->scratch_bytes(), call_);
  bases_ = {static_cast<std::byte*>(const_cast<void*>(buffers.input)),
            static_cast<std::byte*>(buffers.output), static_cast<std::byte*>(scratch_),
            const_cast<std::byte*>(first_.data())};
}

Operation::~Operation() {
  if (!has_ended_) host_.give_back_scratch(scratch_);
}

void Operation::keep_to_caller() {
  is_kept_ = true;
  if (host_.rank().scheduler == nullptr) kept_to_ = wait::number_of_thread();
}

bool Operation::is_for_this_thread() const {
  if (!is_kept_) return true;
  return kept_to_ != 0 ? kept_to_ == wait::number_of_thread() : wait::runs_rank();
}

bool Operation::awaits_here() const {
  const space::AddressSpace& space = host_.rank().space;
  const auto is_awaited = [&](int rank, const std::atomic<bool>& over) {
    return !over.load(std::memory_order_relaxed) && space.is_here(rank);
  };
  return std::ranges::any_of(under_way_.coming,
                             [&](const Coming& one) {
                               return is_awaited(one.request.pattern().source, one.request.is_over);
                             }) ||
         std::ranges::any_of(under_way_.going, [&](const Going& one) {
           return is_awaited(one.request.to, one.request.is_over);
         });
}

void Operation::open_mailboxes() {
  message::Messages& messages = host_.messages();
  for (std::size_t i = 0; i < schedule_->stages(); ++i) {
    const Schedule::Stage stage = schedule_->stage(i);
    for (const Message& one : stage.receives)
      if (is_asked_for(one)) messages.open(rank_of(one.member), call_);
    for (const Message& one : stage.sends) messages.open(rank_of(one.member), call_);
  }
}

/// Whether or not it is begun here: the others count on nothing from this member then.
void Operation::hear_of_breakdown() {
  const auto shown = team::breakdown_of(*team_.state());
  if (!shown) return;
  const Notice notice{.team = team_id_,
                      .number = shown->number,
                      .code = shown->code,
                      .rank = shown->rank,
                      .is_shown = true};
  if (!concerns(notice, team_id_, number_)) return;
  is_broken_ = true;
  fail(notice);
}

// Receives are posted first: what comes meanwhile has its place.
void Operation::begin_stage() {
  message::Messages& messages = host_.messages();
  const Schedule::Stage stage = schedule_->stage(stage_);
  under_way_.coming.clear();
  under_way_.going.clear();
  under_way_.came = under_way_.gone = under_way_.sent = 0;
  under_way_.has_begun = true;
  for (const Message& one : stage.receives) {
    if (is_asked_for(one)) messages.open(rank_of(one.member), call_);
    under_way_.coming.emplace_back(
        message::Label{context_of(team_id_), rank_of(one.member), tag_of(number_)}, at(one.place),
        one.bytes);
    messages.start(under_way_.coming.back().request);
  }
  for (const Message& one : stage.sends) {
    const message::Address to{rank_of(one.member), context_of(team_id_), tag_of(number_)};
    if (!messages.send_at_once(to, {at(one.place), one.bytes}, call_)) {
      under_way_.going.emplace_back(to, at(one.place), one.bytes);
      try {
        messages.start(under_way_.going.back().request, call_);
      } catch (...) {
        under_way_.going.pop_back();  // nobody waits for what has not begun
        throw;
      }
    }
    ++under_way_.sent;
  }
}

/// Whether all messages of the stage are here; gives up where one cannot come, or is another.
bool Operation::have_all_come() {
  for (; under_way_.came < under_way_.coming.size(); ++under_way_.came) {
    message::ReceiveRequest& request = under_way_.coming[under_way_.came].request;
    if (!host_.messages().advance(request)) return false;
    const message::ReceiveRequest::Outcome& outcome = request.outcome;
    const int source = request.pattern().source;
    if (outcome.is_lost) {
      give_up({team_id_, number_, Errc::rank_lost, source},
              error(Errc::rank_lost, "{}: rank {} has died", call_, source));
      return false;
    }
    if (outcome.bytes == request.room) continue;
    give_up({team_id_, number_, Errc::bad_argument, host_.rank().space.me()},
            error(Errc::bad_argument,
                  "{}: members of the team disagree: rank {} sends {} bytes where rank {} expects "
                  "{}",
                  call_, source, outcome.bytes, static_cast<int>(host_.rank().space.me()),
                  request.room));
    return false;
  }
  return true;
}

/// A message that nobody is there for any more has gone, too.
bool Operation::have_all_gone() {
  for (; under_way_.gone < under_way_.going.size(); ++under_way_.gone) {
    message::SendRequest& request = under_way_.going[under_way_.gone].request;
    if (host_.messages().advance(request)) continue;
    // All members fail where the team has broken down. Nobody needs the bytes, and who should ask
    // for them may lack the memory to.
    if (!is_broken_ || !host_.messages().cancel(request)) return false;
  }
  return true;
}

void Operation::run(const Step& step) {
  std::byte* const into = at(step.into);
  const std::byte* const from = at(step.from);
  switch (step.kind) {
    case Step::Kind::copy:
      std::memmove(into, from, step.bytes);
      break;
    case Step::Kind::combine:
      with_.combine(into, from, step.bytes / with_.element_bytes, with_.op.get());
      break;
    case Step::Kind::fill:
      for (std::size_t i = 0; i < step.bytes; i += with_.element_bytes)
        std::memcpy(into + i, from, with_.element_bytes);
      break;
  }
}

bool Operation::advance() {
  if (is_over()) return false;
  bool any = false;
  try {
    hear_of_breakdown();
    while (!failure_ && stage_ < schedule_->stages()) {
      if (!under_way_.has_begun) begin_stage(), any = true;
      const std::size_t before = under_way_.came + under_way_.gone;
      const bool have_come = have_all_come();
      if (failure_) break;
      const bool is_complete_now = have_come && have_all_gone();
      any = any || under_way_.came + under_way_.gone != before;
      if (!is_complete_now) return any;
      for (const Step& step : schedule_->stage(stage_).steps) run(step);
      ++stage_;
      under_way_.has_begun = false;
      any = true;
    }
  } catch (const Error& error) {
    give_up({team_id_, number_, error.code(), host_.rank().space.me()}, std::current_exception());
  } catch (const std::bad_alloc&) {
    give_up({team_id_, number_, Errc::out_of_memory, host_.rank().space.me()},
            error(Errc::out_of_memory, "{}: no memory", call_));
  } catch (...) {  // the operator's
    give_up({team_id_, number_, Errc::misuse, host_.rank().space.me()}, std::current_exception());
  }
  // A message that has been begun is sent even so: its receiver may wait for it.
  if (failure_ && !have_all_gone()) return any;
  be_over();
  return true;
}

/// The ranks to which this member would have sent more.
std::vector<std::int32_t> Operation::those_that_wait() const {
  std::vector<std::int32_t> ranks;
  for (std::size_t stage = stage_; stage < schedule_->stages(); ++stage) {
    const auto sends = schedule_->stage(stage).sends;
    for (const Message& one :
         sends.subspan(stage == stage_ && under_way_.has_begun ? under_way_.sent : 0))
      ranks.push_back(rank_of(one.member));
  }
  std::ranges::sort(ranks);
  const auto twice = std::ranges::unique(ranks);
  ranks.erase(twice.begin(), twice.end());
  return ranks;
}

void Operation::give_up(const Notice& notice, std::exception_ptr why) {
  for (Coming& one : under_way_.coming) host_.messages().abandon(one.request);
  under_way_.coming.clear();
  under_way_.came = 0;
  failure_ = std::move(why);
  if (notice.is_shown) return;
  const bool is_mine = notice.rank == host_.rank().space.me();
  if (is_for_all(notice)) {
    if (is_mine) host_.tell(team_, notice, members_);
    return;
  }
  try {
    host_.tell(team_, notice, those_that_wait());
  } catch (const std::bad_alloc&) {
    host_.tell(team_, notice, members_);  // all hear of it: to find out who needs to takes memory
  }
  if (notice.code != Errc::rank_lost) return;
  Notice later = notice;
  later.is_for_later = true;
  host_.tell(team_, later, members_);
}

void Operation::fail(const Notice& notice) {
  if (is_over() || failure_) return;
  switch (notice.code) {
    case Errc::bad_argument:
      return give_up(notice,
                     error(notice.code, "{}: members of the team disagree, as rank {} has found",
                           call_, notice.rank));
    case Errc::rank_lost:
      return give_up(notice, error(notice.code, "{}: rank {} has died", call_, notice.rank));
    default:
      return give_up(notice,
                     error(notice.code, "{}: it has failed at rank {}", call_, notice.rank));
  }
}

void Operation::let_go() {
  message::Messages& messages = host_.messages();
  for (Coming& one : under_way_.coming)
    if (!one.request.is_over.load(std::memory_order_acquire)) messages.abandon(one.request);
  for (Going& one : under_way_.going)
    if (!one.request.is_over.load(std::memory_order_acquire)) messages.abandon(one.request);
  under_way_.coming.clear();
  under_way_.going.clear();
}

void Operation::end() {
  let_go();
  if (!is_over())
    failure_ = error(Errc::misuse, "{}: the rank has left the job before this was complete", call_);
  host_.give_back_scratch(std::exchange(scratch_, nullptr));
  has_ended_ = true;
  is_over_.store(true, std::memory_order_release);
}

void Operation::be_over() {
  under_way_.coming.clear();
  under_way_.going.clear();
  const space::AddressSpace& space = host_.rank().space;
  is_over_.store(true, std::memory_order_release);
  wait::notify(space.slot(space.me()));
}

}  // namespace armature::collective
