#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "armature/error.hpp"
#include "armature/object_array/coroutines.hpp"
#include "armature/object_array/directory.hpp"
#include "armature/object_array/held_element.hpp"
#include "armature/object_array/index.hpp"
#include "armature/object_array/late_call.hpp"
#include "armature/object_array/record.hpp"
#include "armature/object_array/records_here.hpp"
#include "armature/object_array/refused.hpp"
#include "armature/object_array/turn.hpp"
#include "armature/own_call.hpp"
#include "armature/promise.hpp"
#include "armature/rmi.hpp"
#include "armature/shared.hpp"
#include "armature/team.hpp"

// A member's part of an object_array: the records that are here, and where others are as far as is
// known. The difficulty is that an element moves while calls to it are under way by several ways at
// once, and each must be executed once, in the order of its caller.
//
// So a caller numbers its calls to an element, and the record, which moves with the element, knows
// which number of whom is due; what comes early waits. Creating, destroying and moving are calls
// like others, so one order holds for all of it. The ways need no care then: whoever gets a call
// for a record that is not here sends it on to where it went, or, knowing nothing, to the home of
// the index, which hears of every move. Each time that a record moves its epoch grows; a call says
// what epoch it was sent after, so that one which overtakes the record waits for it, and none goes
// in circles. See docs/internals/object-arrays.md.

namespace armature::detail {

template <class T, class I>
class ObjectPart {
 public:
  using Index = I;
  using Hash = IndexHash;
  using Record = ElementRecord<T, Index, ObjectPart>;
  using Moving = MovingRecord<T, Index, Hash>;
  using Late = Waiting<ObjectPart>;

  explicit ObjectPart(const Team& team)
      : directory_(team), me_(team.rank()), turns_(rmi_settings().nesting_max) {}
  ObjectPart(const ObjectPart&) = delete;
  ObjectPart& operator=(const ObjectPart&) = delete;

  [[nodiscard]] ElementDirectory<Index>& directory() { return directory_; }
  [[nodiscard]] const ElementDirectory<Index>& directory() const { return directory_; }
  /// The records of elements that are here, for collective calls too.
  [[nodiscard]] RecordsHere<Index, Record>& records() { return records_; }
  [[nodiscard]] Turns<Record>& turns() { return turns_; }
  void set_self(shared_ref<ObjectPart> self) { self_ = self; }

  /// op(part, record, index, caller, args...) wherever the record is, in its turn.
  template <class Op, class... A>
  void send(const Index& index, const Op& op, const A&... args) {
    static_assert((!looks_into_message<A, false>() && ...),
                  "a call of an element may wait: an argument may be a view, but not hold one");
    Route& route = directory_.route(index);
    CallHead head{
        .caller = me_, .depth = Op::is_question ? turns_.depth + 1 : 0, .number = route.sent};
    if (turns_.calling != nullptr) ++turns_.calling->calls[index];
    Record* const record = at_hand(index, route);
    // As for containers: not on top of another call, which would use up the stack.
    if (record != nullptr && (Op::is_question || turns_.running == 0) &&
        record->next[me_] == head.number) {
      ++route.sent;
      {
        const OwnCall call;
        perform<Op, A...>(*record, Index(index), head, op, args...);
      }
      return after_own_call();
    }
    head.counter = &route.sent;
    hop<Op, A...>(index, head, op, args...);
  }

  /// f(index, element) for those that are here, each as in a call.
  template <class F>
  void visit_here(F f) {
    for (const Index& index : records_.with_elements()) {
      Record* const record = records_.find(index);
      if (record == nullptr || !record->object) continue;
      {
        const OwnCall call;
        const Turn<Record> turn(turns_, *record, 0);
        const ElementHolder<ObjectPart> holder(*this, *record, index);
        const std::shared_ptr<T> object = record->object;
        using Result = std::remove_cvref_t<decltype(call_element(f, index, *object))>;
        if constexpr (is_future<Result>)
          tell_failure(call_element(f, index, *object), directory_.rank_of(me_),
                       "element " + text_of_index(index) + ": ");
        else
          (void)call_element(f, index, *object);
      }
      depart_later(index, *record);
      run_held();
      after_own_call();
    }
  }
  /// At the beginning, by all members alike: an element that begins at that member. False, at the
  /// home of the index, where there is one already.
  template <class Make>
  [[nodiscard]] bool place(const Index& index, int member, Make make) {
    if (!directory_.note_created(index)) return false;
    if (member != me_ && directory_.home(index) != me_) return true;
    directory_.learn(index, member, 1);
    if (member != me_) return true;
    auto record = std::make_unique<Record>();
    record->object = make();
    record->epoch = 1;
    records_.put(index, std::move(record));
    return true;
  }

  /// Tells whether the part is still there; owns nothing.
  [[nodiscard]] std::weak_ptr<ObjectPart> here() const { return here_; }
  /// The record stays no longer for one that held it.
  void let_go(const Index& index) noexcept {
    Record& record = *records_.find(index);
    --record.running;
    try {
      depart_later(index, record);
    } catch (...) {
      own_statement_threw();
    }
  }

  void leave_for(const Index& index, int member) {
    Record* const record = records_.find(index);
    if (record == nullptr) return;
    record->goes_to = member;
    depart_later(index, *record);
  }

 private:
  template <class, class, class...>
  friend class LateCall;

  /// The record, if it is here; at its home one that was never touched is.
  Record* at_hand(const Index& index, const Route& route) {
    Record* const record = records_.find(index);
    if (record != nullptr || route.epoch != 0 || directory_.home(index) != me_) return record;
    return &records_.put(index, std::make_unique<Record>());
  }

  /// On to where the record probably is. A two-way call travels as one: at the limit of nesting
  /// only those are let in.
  template <class Op, class... A>
  void hop(const Index& index, CallHead head, const Op& op, const A&... args) {
    const Route& route = directory_.route(index);
    head.epoch = route.epoch;
    const Rank to = directory_.next_of(index, route);
    if constexpr (Op::is_question) {
      try {
        (void)self_.ask(to, &ObjectPart::template arrive<Op, A...>, head, index, op, args...);
        return;
      } catch (const Error& error) {
        if (error.code() != Errc::nesting) throw;
      }
    }
    self_.async(to, &ObjectPart::template arrive<Op, A...>, head, index, op, args...);
  }

  template <class Op, class... A>
  void arrive(CallHead head, Index index, Op op, A... args) {
    const Route& route = directory_.route(index);
    Record* const record = at_hand(index, route);
    if (record == nullptr) {
      ++head.hops;
      if (head.epoch <= route.epoch && route.member != me_)
        return hop<Op, A...>(index, head, op, args...);
      // It has overtaken the record.
      auto& early = early_[index];
      early.push_back(std::make_unique<LateCall<ObjectPart, Op, A...>>(head, std::move(index), op,
                                                                       std::move(args)...));
      return;
    }
    const std::uint64_t due = record->next[head.caller];
    if (head.number < due || record->waiting.contains({head.caller, head.number}))
      throw Error(Errc::corrupt, "object_array: a call of element " + text_of_index(index) +
                                     " came twice: an error of Armature");
    if (head.number == due &&
        turns_.may_run(std::max(head.depth, record->depth_behind(head.caller)))) {
      perform<Op, A...>(*record, std::move(index), head, op, std::move(args)...);
      return;
    }
    const Index which = index;
    record->put_off(std::make_unique<LateCall<ObjectPart, Op, A...>>(head, std::move(index), op,
                                                                     std::move(args)...));
    run_waiting(*record, which, head.caller);
  }

  template <class Op, class... A>
  void perform(Record& record, Index index, const CallHead& head, Op op, A... args) {
    const std::uint64_t epoch = record.epoch;
    {
      const Turn<Record> turn(turns_, record, head.depth);
      const ElementHolder<ObjectPart> holder(*this, record, index);
      start(record, index, head.caller);
      op(*this, record, index, head.caller, std::move(args)...);
      run_due(record, head.caller);
    }
    depart_later(index, record);
    if (head.hops > 0 && head.caller != me_)
      self_.async(directory_.rank_of(head.caller), &ObjectPart::learn, index, me_, epoch);
    run_held();
  }

  /// Before a call is executed: while it waits the next one must get in, as it would have if it
  /// had not come early.
  void start(Record& record, const Index& index, int caller) {
    const std::uint64_t next = ++record.next[caller];
    if (!record.waiting.empty() && record.waiting.contains({caller, next}))
      self_.async(directory_.rank_of(me_), &ObjectPart::resume, index, caller);
  }
  void resume(const Index& index, int caller) {
    // If the record has left, the calls have followed it.
    if (Record* const record = records_.find(index)) run_waiting(*record, index, caller);
  }

  /// The next of that caller, if it has come, those behind it, and nothing else.
  void run_due(Record& record, int caller) {
    while (const std::unique_ptr<Late> late = record.take_due(caller)) late->run(*this, record);
  }

  /// Runs them in the same way where no running call ends with this. At the limit they are put off,
  /// unless an urgent one is behind them.
  void run_waiting(Record& record, const Index& index, int caller) {
    const auto due = record.waiting.find({caller, record.next[caller]});
    if (due == record.waiting.end()) return;
    const std::uint32_t depth = std::max(due->second->head().depth, record.depth_behind(caller));
    if (!turns_.may_run(depth)) return void(held_.emplace_back(index, caller));
    {
      const Turn<Record> turn(turns_, record, depth);
      const ElementHolder<ObjectPart> holder(*this, record, index);
      run_due(record, caller);
    }
    depart_later(index, record);
    run_held();
  }

  /// Those that were put off, one by one, each free to let others in.
  void run_held() {
    if (held_.empty() || resumes_held_) return;
    resumes_held_ = true;
    self_.async(directory_.rank_of(me_), &ObjectPart::resume_held);
  }
  void resume_held() {
    resumes_held_ = false;
    const auto next = std::find_if(held_.begin(), held_.end(), [this](const auto& one) {
      Record* const record = records_.find(one.first);
      return record == nullptr || turns_.may_run(record->depth_behind(one.second));
    });
    if (next == held_.end()) return;
    const auto [index, caller] = std::move(*next);
    held_.erase(next);
    run_held();
    resume(index, caller);
  }

  // -- moving
  /// In a method: those do not wait for room, so whoever calls the element meanwhile finds the
  /// record on its way.
  void depart_later(const Index& index, Record& record) {
    if (record.is_to_leave(me_)) self_.async(directory_.rank_of(me_), &ObjectPart::depart, index);
  }
  void depart(Index index) {
    Record* const here = records_.find(index);
    if (here == nullptr || !here->is_to_leave(me_)) return;
    Record& record = *here;
    const int to = record.goes_to;
    Route& route = directory_.route(index);
    // May find no memory: then the record is here as before.
    self_.async(directory_.rank_of(to), &ObjectPart::settle, index,
                LentRecord<Record, Moving>(record).moving());
    const auto kept = records_.take(index);
    route.member = to;
    route.epoch = record.epoch + 1;
    for (auto& [number, late] : record.waiting) late->arrive_again(*this);
    if (const int at = directory_.home(index); at != me_ && at != to)
      self_.async(directory_.rank_of(at), &ObjectPart::learn, index, to, record.epoch + 1);
  }
  void settle(Index index, Moving moving) {
    Route& route = directory_.route(index);
    route.member = me_;
    route.epoch = moving.epoch;
    Record& here = records_.put(index, std::make_unique<Record>(std::move(moving)));
    if (!here.object) here.goes_to = directory_.home(index);  // what is left of one that has gone
    if (here.goes_to == me_) directory_.note_destroyed(index);
    if (auto early = early_.extract(index))
      for (auto& late : early.mapped()) {
        self_.async(directory_.rank_of(me_), &ObjectPart::resume, index, late->head().caller);
        here.put_off(std::move(late));
      }
    depart_later(index, here);
    if (!moving.failure.empty())
      throw Error(Errc::remote, "object_array: element " + text_of_index(index) +
                                    " was lost where it arrived: " + moving.failure);
  }
  /// Notes where a record has gone.
  void learn(const Index& index, int member, std::uint64_t epoch) {
    directory_.learn(index, member, epoch);
  }

  ElementDirectory<Index> directory_;
  const int me_;
  shared_ref<ObjectPart> self_;
  RecordsHere<Index, Record> records_;
  std::unordered_map<Index, std::vector<std::unique_ptr<Late>>, Hash> early_;
  std::deque<std::pair<Index, int>> held_;  // and the callers
  bool resumes_held_ = false;
  Turns<Record> turns_;
  // Ends first.
  const std::shared_ptr<ObjectPart> here_{this, [](ObjectPart*) {}};
};

}  // namespace armature::detail
