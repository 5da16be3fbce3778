#include "pending.hpp"

#include <climits>
#include <thread>
#include <utility>
#include <vector>

#include <armature/wait_until.hpp>

#include "calls.hpp"
#include "of_rank.hpp"

namespace armci {

namespace {

OfRank<Pending> table;

}  // namespace

Pending& pending() { return *table; }

void Pending::Entry::wait() {
  for (armature::Handle& operation : operations) operation.wait();
  for (const auto& aggregate : earlier) aggregate->wait();
  if (together) together->wait();
}

bool Pending::Entry::test() {
  bool complete = !together || together->test();
  for (const auto& aggregate : earlier) complete = aggregate->test() && complete;
  for (armature::Handle& operation : operations) complete = operation.test() && complete;
  return complete;
}

/// A call uses an entry without the lock while one lives.
class Pending::InUse {
 public:
  InUse(Pending& all, int number, Entry& entry)
      : all_(all), number_(number), entry_(entry), is_begun_with_(entry.begins != 0) {
    ++entry.uses;
    entry.user = std::this_thread::get_id();
    all.forget_latest();
  }
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;
  /// The entry goes with its last use, unless it stays: a call that begins more with it may go on
  /// behind this one. What it has still under way ends without the lock.
  ~InUse() {
    decltype(entries_)::node_type gone;
    const std::lock_guard held(all_.lock_);
    entry_.goes = entry_.goes || (!stays_ && !is_begun_with_);
    --entry_.uses;
    if (entry_.is_over()) gone = all_.entries_.extract(number_);
    __atomic_add_fetch(&all_.uses_ended_, 1, __ATOMIC_RELEASE);
  }
  void let_it_stay() { stays_ = true; }
  void let_it_go() { stays_ = false; }

 private:
  Pending& all_;
  const int number_;
  Entry& entry_;
  const bool is_begun_with_;
  bool stays_ = false;
};

Pending::Kept::Kept(Pending& all, int number, Entry& entry, bool begins_more)
    : all_(all), number_(number), entry_(entry), begins_more_(begins_more) {
  ++entry.keeps;
  if (begins_more) ++entry.begins;
  entry.user = std::this_thread::get_id();
}

Pending::Kept::~Kept() {
  decltype(entries_)::node_type gone;
  // One thread alone needs no lock for its own count.
  std::unique_lock held(all_.lock_, std::defer_lock);
  if (threads_call()) held.lock();
  --entry_.keeps;
  if (begins_more_) --entry_.begins;
  if (entry_.is_over()) gone = all_.entries_.extract(number_);
  __atomic_add_fetch(&all_.uses_ended_, 1, __ATOMIC_RELEASE);
}

// A virtual rank, which may go to another thread, has no others.
bool Pending::Entry::is_of_another_thread() const {
  return uses + keeps != 0 && threads_call() && user != std::this_thread::get_id();
}

/// Waits while another thread uses it. nullptr: there is none of that number, or none any more.
Pending::Entry* Pending::find(std::unique_lock<std::mutex>& held, int number) {
  for (;;) {
    const auto found = entries_.find(number);
    if (found == entries_.end()) return nullptr;
    if (!found->second.is_of_another_thread()) return &found->second;
    const std::uint32_t seen = uses_ended_;
    held.unlock();
    (void)armature::wait_until(&uses_ended_, armature::Comparison::ne, seen);
    held.lock();
  }
}

/// A new one where a call of this thread uses that of the handle, and goes through its operations,
/// or has waited for it.
Pending::Entry& Pending::entry_of(std::unique_lock<std::mutex>& held, armci_hdl_t& handle,
                                  int proc) {
  if (handle.target != 0)
    if (Entry* const found = find(held, handle.target);
        found != nullptr && found->uses == 0 && !found->goes)
      return *found;
  do last_ = last_ == INT_MAX ? 1 : last_ + 1;
  while (entries_.contains(last_));
  handle.target = last_;
  Entry& entry = entries_[last_];
  entry.proc = proc;
  return entry;
}

void Pending::add(armci_hdl_t& handle, int proc, armature::Handle&& operation) {
  std::unique_lock held(lock_);
  Entry& entry = entry_of(held, handle, proc);
  if (entry.proc != proc) entry.proc = -1;  // of several: every wait_process waits for it
  entry.operations.push_back(std::move(operation));
}

Pending::Entry& Pending::gathering_entry_of(std::unique_lock<std::mutex>& held, armci_hdl_t& handle,
                                            int proc) {
  Entry* entry = &entry_of(held, handle, proc);
  while (entry->together && entry->together->rank() != proc) {
    forget_latest();
    if (entry->keeps != 0) {  // this is within a call that still uses it
      entry->earlier.push_back(std::move(entry->together));
      break;
    }
    const armature::Aggregate* const before = entry->together.get();
    {
      const int number = handle.target;
      const Kept kept(*this, number, *entry, true);
      held.unlock();
      entry->together->wait();
      if (handle.target == 0) handle.target = number;
    }
    held.lock();
    // A call that was let in may have begun more, or wait for it.
    Entry* const again = &entry_of(held, handle, proc);
    if (again == entry && entry->keeps == 0 && entry->together.get() == before)
      entry->together.reset();
    entry = again;
  }
  if (!entry->together)
    entry->together = std::make_unique<armature::Aggregate>(armature::Rank(proc));
  has_gathered_.store(true, std::memory_order_relaxed);
  if (entry->proc != proc) entry->proc = -1;
  // Each request needs the lock where threads call at any time.
  if (!threads_call()) note_latest(handle, proc, *entry->together);
  return *entry;
}

// In this order: who sees another aggregate sees no key of the one before.
void Pending::note_latest(const armci_hdl_t& handle, int proc, armature::Aggregate& aggregate) {
  latest_key_.store(0, std::memory_order_relaxed);
  latest_.store(&aggregate, std::memory_order_release);
  latest_key_.store(key_of(handle, proc), std::memory_order_release);
}

/// Completes what has that number, if there is something.
void Pending::wait_for(int number) {
  std::unique_lock held(lock_);
  Entry* const entry = find(held, number);
  if (entry == nullptr) return;
  const InUse in_use(*this, number, *entry);
  held.unlock();
  entry->wait();
}

void Pending::wait(armci_hdl_t& handle) {
  if (handle.target != 0) wait_for(std::exchange(handle.target, 0));
}

bool Pending::test(armci_hdl_t& handle) {
  if (handle.target == 0) return true;
  const int number = handle.target;
  std::unique_lock held(lock_);
  const auto found = entries_.find(number);
  if (found != entries_.end()) {
    Entry& entry = found->second;
    if (entry.is_of_another_thread()) {
      const std::uint32_t seen = uses_ended_;
      held.unlock();
      (void)armature::test(&uses_ended_, armature::Comparison::ne, seen);  // makes progress
      return false;
    }
    InUse in_use(*this, number, entry);
    held.unlock();
    in_use.let_it_stay();
    if (!entry.test()) return false;
    entry.wait();  // an aggregate is ready for reuse once it was waited for
    in_use.let_it_go();
  }
  // A method may have begun more with it meanwhile.
  if (handle.target == number) handle.target = 0;
  return handle.target == 0;
}

/// The numbers of the entries for which `which` holds now.
template <class Which>
std::vector<int> Pending::numbers_of(Which&& which) {
  std::vector<int> numbers;
  const std::lock_guard held(lock_);
  for (const auto& [number, entry] : entries_)
    if (which(entry)) numbers.push_back(number);
  return numbers;
}

template <class Which>
void Pending::wait_for_those(Which&& which) {
  for (const int number : numbers_of(which)) wait_for(number);
}

/// Has the aggregates leave for which `which` holds, without the lock: who sends them may wait for
/// room. One that a call waits for leaves by that.
template <class Which>
void Pending::leave_those(Which&& which) {
  if (!has_gathered_.load(std::memory_order_relaxed)) return;
  const auto has_some = [&](const Entry& entry) {
    bool has_one = false;
    entry.each_aggregate([&](const auto& aggregate) { has_one = has_one || which(aggregate); });
    return entry.uses == 0 && has_one;
  };
  for (const int number : numbers_of(has_some)) {
    std::unique_lock held(lock_);
    if (const auto found = entries_.find(number);
        found == entries_.end() || found->second.uses != 0)
      continue;
    Entry* const entry = find(held, number);  // waits for other threads that begin more
    if (entry == nullptr || !has_some(*entry)) continue;
    std::vector<const armature::Aggregate*> leaving;  // which stay where they are meanwhile
    entry->each_aggregate([&](const auto& aggregate) {
      if (which(aggregate)) leaving.push_back(&aggregate);
    });
    const Kept kept(*this, number, *entry, false);
    held.unlock();
    for (const armature::Aggregate* const aggregate : leaving) (void)aggregate->test();
  }
}

void Pending::wait_process(int proc) {
  armature::wait_all(armature::Rank(proc));
  wait_for_those([proc](const Entry& entry) { return entry.concerns(proc); });
}

void Pending::wait_all() {
  armature::wait_all();
  wait_for_those([](const Entry& /*each*/) { return true; });
}

// Relaxed: who calls sees its own requests, and those of other threads that came before.

void Pending::leave_process(int proc) {
  leave_those([proc](const armature::Aggregate& aggregate) { return aggregate.rank() == proc; });
}

void Pending::leave_all() {
  leave_those([](const armature::Aggregate& /*each*/) { return true; });
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
