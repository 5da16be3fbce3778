#include "rmi/method_threads.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/start_thread.hpp"
#include "rmi/failure.hpp"
#include "rmi/remote_replies.hpp"
#include "wait/notifier.hpp"
#include "wait/wait.hpp"

namespace armature::rmi {

using detail::Call;
using detail::Method;
using detail::Reply;

namespace {

/// The calling thread executes calls for the rank; by who holds its endpoint.
class AsRank {
 public:
  explicit AsRank(EndpointContext& context) : in_use_(context.use()) {
    wait::set_this_rank(&context.rank);
  }
  AsRank(const AsRank&) = delete;
  AsRank& operator=(const AsRank&) = delete;
  ~AsRank() { wait::set_this_rank(nullptr); }

 private:
  const EndpointContext::Use in_use_;
};

/// The lock, which is held for less than it takes to sleep for it and to be woken.
std::unique_lock<std::mutex> locked(std::mutex& mutex) {
  constexpr int tries = 200;
  std::unique_lock lock(mutex, std::try_to_lock);
  for (int i = 0; i < tries && !lock.owns_lock(); ++i) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
    (void)lock.try_lock();
  }
  if (!lock.owns_lock()) lock.lock();
  return lock;
}

}  // namespace

MethodThreads::MethodThreads(EndpointContext& context, CallFailures& failures)
    : context_(context),
      failures_(failures),
      threads_max_(context.rank.fault_model == nullptr ? method_threads_at_start() : 0),
      is_virtual_(context.rank.scheduler != nullptr) {
  if (threads_max_ > 0) of_depth_.resize(256);
}

std::unique_ptr<ConcurrentTask> MethodThreads::copy(const Call& call) const {
  auto task = std::make_unique<ConcurrentTask>();
  const auto bytes = static_cast<std::size_t>(call.end - call.start);
  static_cast<Call&>(task->call) = call;
  task->bytes.reset(static_cast<std::byte*>(
      ::operator new (std::max<std::size_t>(bytes, 1), std::align_val_t{64})));
  std::memcpy(task->bytes.get(), call.start, bytes);
  task->call.start = task->bytes.get();
  task->call.arguments = task->call.start + (call.arguments - call.start);
  task->call.end = task->call.start + bytes;
  if (call.reply != nullptr)
    task->slot = context_.space.is_here(call.from)
                     ? call.reply
                     : reinterpret_cast<const StandIn*>(call.reply)->asked_for;
  task->depth = context_.sender.depth;
  if (context_.called_at != nullptr) task->called_at = *context_.called_at;
  return task;
}

bool MethodThreads::is_full() const {
  const auto lock = locked(mutex_);
  return ends_ || queue_.size() >= (context_.sender.level > 1 ? queued_beside_wait_max
                                                              : queued_max * threads_max_);
}

/// So many of the idle threads may run a method now.
std::size_t MethodThreads::free_threads() const {
  return active_ < threads_max_ ? std::min(idle_, threads_max_ - active_) : 0;
}

bool MethodThreads::take(const Call& call, const Method& method, detail::RunConcurrent run) {
  if (threads_max_ == 0 || static_cast<std::size_t>(call.end - call.start) > bytes_max)
    return false;
  try {
    if (is_full()) return false;
    auto task = copy(call);
    task->method = &method;
    task->run = run;
    auto lock = locked(mutex_);
    // Each count is there before its sum grows: nothing is half counted where memory is lacking.
    std::uint64_t& of_caller = from_[call.from];
    std::uint64_t& of_object = object_[call.object];
    queue_.push_back(std::move(task));
    ++of_caller;
    ++of_object;
    ++under_way_;
    has_news_.store(true, std::memory_order_release);
    ready_.notify_one();
    need_thread(std::move(lock));
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

/// Starts one more where none is free, and there may be more. Without threads the rank runs what is
/// queued.
void MethodThreads::need_thread(std::unique_lock<std::mutex> lock) {
  if (active_ + idle_ >= threads_max_ || runnable() == queue_.end()) return;
  ++running_;
  ++idle_;
  lock.unlock();
  try {
    if (is_virtual_)
      std::thread([this] { serve(); }).detach();  // the rank's: see interpose/threads.cpp
    else
      keep(base::start_thread("to run concurrent methods beside the rank", [this] { serve(); }));
  } catch (...) {
    lock.lock();
    --idle_;
    if (--running_ == 0) ended_.notify_all();
  }
}

void MethodThreads::keep(std::thread thread) {
  const std::lock_guard lock(mutex_);
  threads_.push_back(std::move(thread));
}

/// The next call for a thread that is idle; nullptr: it ends.
std::unique_ptr<ConcurrentTask> MethodThreads::next(std::unique_lock<std::mutex>& lock) {
  const auto may_run = [this] { return active_ < threads_max_ && runnable() != queue_.end(); };
  if (!is_virtual_) ready_.wait(lock, [&] { return ends_ || may_run(); });
  --idle_;
  if (!may_run()) return nullptr;
  ++active_;
  const auto found = runnable();
  auto task = std::move(*found);
  queue_.erase(found);
  ++of_depth_[task->depth];
  return task;
}

/// The first queued call for whose depth there is a thread.
MethodThreads::Queue::iterator MethodThreads::runnable() {
  return std::ranges::find_if(queue_, [this](const auto& task) {
    return of_depth_[task->depth] < std::max(of_depth_max, threads_max_);
  });
}

void MethodThreads::serve() {
  auto lock = locked(mutex_);
  while (auto task = next(lock)) {
    const std::uint8_t depth = task->depth;
    lock.unlock();
    run_on_thread(std::move(task));
    lock = locked(mutex_);
    --of_depth_[depth];
    --active_;
    ++idle_;
  }
  if (--running_ == 0) ended_.notify_all();
}

/// Calls its method, and keeps what that throws.
void MethodThreads::call(ConcurrentTask& task) const {
  try {
    task.run(task.call);
  } catch (...) {
    task.failure = std::current_exception();
  }
}

void MethodThreads::run_on_thread(std::unique_ptr<ConcurrentTask> task) {
  detail::Sender calls;  // of a thread without channels: they go by compiled code
  calls.depth = task->depth;
  calls.level = 1;
  detail::Sender* const before = std::exchange(detail::sender, &calls);
  call(*task);
  detail::sender = before;
  if (!answer_at_once(*task)) {
    if (is_virtual_) {
      const std::lock_guard lock(mutex_);
      to_answer_.push_back(std::move(task));
      news_.is_over = true;
      has_news_.store(true, std::memory_order_release);
      return wait::notify(context_.space.slot(context_.space.me()));
    }
    const AsRank as_rank(context_);
    answer_as_rank(*task);
  }
  be_over(*task);
}

/// Answers where that needs nothing of the endpoint: a short result, on the same node.
bool MethodThreads::answer_at_once(ConcurrentTask& task) const {
  if (task.failure != nullptr) return false;
  if (task.slot == nullptr) return true;
  if (!context_.space.is_here(task.call.from) || task.call.result.size() > Reply::inline_bytes)
    return false;
  task.call.reply = task.slot;
  std::byte* const room = detail::reply_room(task.call, task.call.result.size());
  if (!task.call.result.empty())
    std::memcpy(room, task.call.result.data(), task.call.result.size());
  answer(context_.space, task.call, Reply::answered);
  return true;
}

/// Answers, or tells the failure, by a thread that executes calls.
void MethodThreads::answer_as_rank(ConcurrentTask& task) {
  const CalledAtBefore told_of_it(context_, task.called_at);
  StandIn stand_in;
  stand_in.asked_for = task.slot;
  task.call.reply =
      task.slot == nullptr || context_.space.is_here(task.call.from) ? task.slot : &stand_in.reply;
  try {
    if (task.failure != nullptr) std::rethrow_exception(task.failure);
    if (task.slot == nullptr) return;
    std::byte* const room = detail::reply_room(task.call, task.call.result.size());
    if (!task.call.result.empty())
      std::memcpy(room, task.call.result.data(), task.call.result.size());
    answer(context_.space, task.call, Reply::answered);
  } catch (...) {
    tell_thrown(
        [&](Errc code, const char* text) { failures_.threw(task.call, task.method, code, text); });
  }
}

/// Counts it as executed. The rank may wait for that, in a fence: for all calls of a caller, or for
/// those of an object. So it is told of the last of them: to be woken by each of many costs more
/// than a short method. Where it waits for what a method may have made true, it looks each time.
void MethodThreads::be_over(const ConcurrentTask& task) {
  bool is_told = false;
  {
    const auto lock = locked(mutex_);
    --under_way_;
    bool is_last = false;
    if (--from_[task.call.from] == 0) is_last = from_.erase(task.call.from) > 0;
    if (--object_[task.call.object] == 0) is_last = object_.erase(task.call.object) > 0;
    is_told = is_last || news_.any_waits > 0 || ++news_.untold == told_every;
    if (is_told) {
      news_.untold = 0;
      news_.is_over = true;
      has_news_.store(true, std::memory_order_release);
    }
  }
  space::RankSlot& me = context_.space.slot(context_.space.me());
  is_told ? wait::notify(me) : wait::notify_of_value(me);
}

bool MethodThreads::has_work_now(bool beside_wait) const {
  const auto lock = locked(mutex_);
  return news_.is_over || (!beside_wait && queue_.size() > free_threads());
}

std::unique_ptr<ConcurrentTask> MethodThreads::take_back() {
  const auto lock = locked(mutex_);
  if (queue_.size() <= free_threads()) return nullptr;
  auto task = std::move(queue_.front());
  queue_.pop_front();
  return task;
}

// The sender of a thread that runs a concurrent method is its own, at level 1.
MethodWaits::MethodWaits(MethodThreads& threads) {
  if (executes_calls() || detail::sender->level == 0) return;
  threads_ = &threads;
  auto lock = locked(threads.mutex_);
  --threads.active_;
  threads.ready_.notify_one();
  threads.need_thread(std::move(lock));
}

MethodWaits::~MethodWaits() {
  if (threads_ == nullptr) return;
  const std::lock_guard lock(threads_->mutex_);
  ++threads_->active_;
}

[[gnu::cold]] void AnyMethodWaits::count(int waits) {
  const std::lock_guard lock(threads_.mutex_);
  std::uint16_t& any_waits = threads_.news_.any_waits;
  any_waits = static_cast<std::uint16_t>(any_waits + waits);
}

void MethodThreads::run_here(std::unique_ptr<ConcurrentTask> task) {
  call(*task);
  answer_as_rank(*task);
  be_over(*task);
}

bool MethodThreads::answer_rest() {
  auto lock = locked(mutex_);
  if (!has_news_.exchange(!queue_.empty(), std::memory_order_relaxed)) return false;
  news_.is_over = false;
  while (!to_answer_.empty()) {
    const auto task = std::move(to_answer_.front());
    to_answer_.pop_front();
    lock.unlock();
    answer_as_rank(*task);
    be_over(*task);
    context_.made_progress();
    lock.lock();
  }
  return true;
}

std::uint64_t MethodThreads::under_way(int from) const {
  if (threads_max_ == 0) return 0;
  const auto lock = locked(mutex_);
  const auto found = from_.find(from);
  return found == from_.end() ? 0 : found->second;
}

std::uint64_t MethodThreads::under_way() const {
  if (threads_max_ == 0) return 0;
  const auto lock = locked(mutex_);
  return under_way_;
}

bool MethodThreads::runs(const void* object) const {
  if (threads_max_ == 0) return false;
  const std::lock_guard lock(mutex_);
  return object_.contains(object);
}

// A thread whose method waits may start others until it has ended. One of a virtual rank is
// nobody's to join: it uses this until it says that it has ended.
void MethodThreads::end() {
  std::unique_lock lock(mutex_);
  ends_ = true;
  ready_.notify_all();
  while (!threads_.empty()) {
    std::vector<std::thread> threads;
    threads.swap(threads_);
    lock.unlock();
    for (std::thread& thread : threads) thread.join();
    lock.lock();
  }
  ended_.wait(lock, [this] { return running_ == 0; });
}

}  // namespace armature::rmi
