#include "pending.hpp"

#include <climits>
#include <iterator>
#include <utility>

#include "calls.hpp"
#include "of_rank.hpp"

namespace armci {

namespace {

OfRank<Pending> table;

}  // namespace

Pending& pending() { return *table; }

void Pending::Entry::wait() {
  for (armature::Handle& operation : operations) operation.wait();
  if (together) together->wait();
}

bool Pending::Entry::test() {
  bool complete = !together || together->test();
  for (armature::Handle& operation : operations) complete = operation.test() && complete;
  return complete;
}

Pending::Entry& Pending::entry_of(armci_hdl_t& handle, int proc) {
  if (auto found = entries_.find(handle.target); handle.target != 0 && found != entries_.end())
    return found->second;
  do last_ = last_ == INT_MAX ? 1 : last_ + 1;
  while (entries_.contains(last_));
  handle.target = last_;
  Entry& entry = entries_[last_];
  entry.proc = proc;
  return entry;
}

void Pending::add(armci_hdl_t& handle, int proc, armature::Handle&& operation) {
  const std::lock_guard held(lock_);
  Entry& entry = entry_of(handle, proc);
  if (entry.proc != proc) entry.proc = -1;  // of several: every wait_process waits for it
  entry.operations.push_back(std::move(operation));
}

armature::Aggregate& Pending::aggregate_of(armci_hdl_t& handle, int proc) {
  Entry& entry = entry_of(handle, proc);
  if (entry.together && entry.together->rank() != proc) {
    forget_latest();
    entry.together->wait();
    entry.together.reset();
  }
  if (!entry.together) entry.together.emplace(armature::Rank(proc));
  has_gathered_.store(true, std::memory_order_relaxed);
  if (entry.proc != proc) entry.proc = -1;
  // Each request needs the lock where threads call at any time.
  if (!threads_call()) note_latest(handle, proc, *entry.together);
  return *entry.together;
}

// In this order: who sees another aggregate sees no key of the one before.
void Pending::note_latest(const armci_hdl_t& handle, int proc, armature::Aggregate& aggregate) {
  latest_key_.store(0, std::memory_order_relaxed);
  latest_.store(&aggregate, std::memory_order_release);
  latest_key_.store(key_of(handle, proc), std::memory_order_release);
}

void Pending::wait(armci_hdl_t& handle) {
  if (handle.target == 0) return;
  std::unique_lock held(lock_);
  forget_latest();
  auto entry = entries_.extract(handle.target);
  held.unlock();
  handle.target = 0;
  if (entry) entry.mapped().wait();
}

bool Pending::test(armci_hdl_t& handle) {
  if (handle.target == 0) return true;
  const std::lock_guard held(lock_);
  const auto entry = entries_.find(handle.target);
  if (entry != entries_.end()) {
    forget_latest();
    if (!entry->second.test()) return false;
    entry->second.wait();  // an aggregate is ready for reuse once it was waited for
    entries_.erase(entry);
  }
  handle.target = 0;
  return true;
}

void Pending::wait_process(int proc) {
  armature::wait_all(armature::Rank(proc));
  const std::lock_guard held(lock_);
  forget_latest();
  for (auto item = entries_.begin(); item != entries_.end();) {
    const bool concerned = item->second.proc == proc || item->second.proc == -1;
    if (concerned) item->second.wait();
    item = concerned ? entries_.erase(item) : std::next(item);
  }
}

void Pending::wait_all() {
  armature::wait_all();
  const std::lock_guard held(lock_);
  forget_latest();
  for (auto& [number, entry] : entries_) entry.wait();
  entries_.clear();
}

// Relaxed: who calls sees its own requests, and those of other threads that came before.

void Pending::leave_process(int proc) {
  if (!has_gathered_.load(std::memory_order_relaxed)) return;
  const std::lock_guard held(lock_);
  for (auto& [number, entry] : entries_)
    if (entry.together && entry.together->rank() == proc) (void)entry.together->test();
}

void Pending::leave_all() {
  if (!has_gathered_.load(std::memory_order_relaxed)) return;
  const std::lock_guard held(lock_);
  for (auto& [number, entry] : entries_)
    if (entry.together) (void)entry.together->test();
}

}  // namespace armci

using namespace armci;

extern "C" {

void ARMCI_INIT_HANDLE(armci_hdl_t* handle) {
  if (handle != nullptr) *handle = armci_hdl_t{};
}

void ARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t* handle) {
  if (handle != nullptr) handle->aggregate = 1;
}

void ARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t* handle) {
  if (handle != nullptr) handle->aggregate = 0;
}

int PARMCI_Wait(armci_hdl_t* handle) {
  if (handle == nullptr) return explain(__func__, null_pointer, "no handle");
  return answered(__func__, [=]() -> int { return pending().wait(*handle), ok; });
}

int PARMCI_Test(armci_hdl_t* handle) {
  if (handle == nullptr) return explain(__func__, null_pointer, "no handle");
  return answered(__func__, [=] { return pending().test(*handle) ? 0 : 1; });
}

int PARMCI_WaitProc(int proc) {
  return answered(__func__, [=]() -> int { return pending().wait_process(proc), ok; });
}

int PARMCI_WaitAll(void) {
  return answered(__func__, []() -> int { return pending().wait_all(), ok; });
}

}  // extern "C"

ARMCI_TWIN(Wait);
ARMCI_TWIN(Test);
ARMCI_TWIN(WaitProc);
ARMCI_TWIN(WaitAll);
