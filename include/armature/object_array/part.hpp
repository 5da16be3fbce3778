#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "armature/container/hash_table.hpp"
#include "armature/error.hpp"
#include "armature/object_array/coroutines.hpp"
#include "armature/object_array/index.hpp"
#include "armature/object_array/late_call.hpp"
#include "armature/object_array/record.hpp"
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
class ObjectPart : public ElementCoroutines<ObjectPart<T, I>> {
 public:
  using Index = I;
  using Hash = IndexHash;
  using Record = ElementRecord<T, Index, ObjectPart>;
  using Moving = MovingRecord<T, Index, Hash>;
  using Late = Waiting<ObjectPart>;

  explicit ObjectPart(const Team& team)
      : team_(team),
        me_(team.rank()),
        running_max_(std::max(1, static_cast<int>(rmi_settings().nesting_max / 4))),
        depth_max_(std::max(1U, rmi_settings().nesting_max / 2)) {
    for (int m = 0; m < team.size(); ++m) ranks_.push_back(team.world_rank(m));
  }
  ObjectPart(const ObjectPart&) = delete;
  ObjectPart& operator=(const ObjectPart&) = delete;

  [[nodiscard]] const Team& team() const { return team_; }
  [[nodiscard]] shared_ref<ObjectPart> self() const { return self_; }
  void set_self(shared_ref<ObjectPart> self) { self_ = self; }
  [[nodiscard]] Rank rank_of(int member) const { return ranks_[static_cast<std::size_t>(member)]; }

  /// The member that is asked when nothing is known.
  [[nodiscard]] int home(const Index& index) const {
    const std::uint64_t hash = spread(Hash()(index));
    return static_cast<int>(((hash >> 32) * ranks_.size()) >> 32);
  }
  /// Returns the rank that will probably execute a call.
  [[nodiscard]] Rank likely(const Index& index) const {
    const auto route = routes_.find(index);
    return rank_of(route == routes_.end() || route->second.epoch == 0 ? home(index)
                                                                      : route->second.member);
  }

  /// op(part, record, index, caller, args...) wherever the record is, in its turn.
  template <class Op, class... A>
  void send(const Index& index, const Op& op, const A&... args) {
    static_assert((!looks_into_message<A, false>() && ...),
                  "a call of an element may wait: an argument may be a view, but not hold one");
    Route& route = routes_[index];
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

  /// How many questions wait for what runs here, one for the other.
  [[nodiscard]] std::uint32_t& depth() { return turns_.depth; }
  /// Throws Error(nesting) where a question would be too deep.
  void require_depth() const {
    if (turns_.depth >= depth_max_)
      throw Error(Errc::nesting,
                  "object_array: a question to an element would be the " +
                      std::to_string(turns_.depth + 1) +
                      "th of a chain of questions asked while answering questions; the limit is "
                      "half of armature run --nesting-max");
  }

  /// Tells a member's rank that a statement of its failed.
  void complain(int member, Errc code, const std::string& text) {
    armature::async(rank_of(member), ThrowReported(), code, text);
  }

  // -- the elements that are here, for collective calls
  [[nodiscard]] std::vector<Index> indices_here() const {
    std::vector<Index> all;
    for (const auto& [index, record] : records_)
      if (record->object) all.push_back(index);
    return all;
  }
  /// f(index, element) for those that are here, each as in a call.
  template <class F>
  void visit_here(F f) {
    for (const Index& index : indices_here()) {
      Record* const record = find(index);
      if (record == nullptr || !record->object) continue;
      {
        const OwnCall call;
        const Turn<Record> turn(turns_, *record, 0);
        const std::shared_ptr<T> object = record->object;
        (void)this->until_settled(*record, index, f, index, *object);
      }
      depart_later(index, *record);
      run_held();
      after_own_call();
    }
  }
  /// The elements that exist and whose home is here; also some on their way to or from existence.
  [[nodiscard]] std::vector<Index> indices_at_home() const {
    return {living_.begin(), living_.end()};
  }
  void note_created(const Index& index) {
    if (home(index) == me_) living_.insert(index);
  }
  void note_destroyed(const Index& index) { living_.erase(index); }
  /// At the beginning, by all members alike: an element that begins at that member. False, at the
  /// home of the index, where there is one already.
  template <class Make>
  [[nodiscard]] bool place(const Index& index, int member, Make make) {
    const bool is_home = home(index) == me_;
    if (is_home && !living_.insert(index).second) return false;
    if (member != me_ && !is_home) return true;
    Route& route = routes_[index];
    route.member = member;
    route.epoch = 1;
    if (member != me_) return true;
    auto record = std::make_unique<Record>();
    record->object = make();
    record->epoch = 1;
    records_.emplace(index, std::move(record));
    return true;
  }

  [[nodiscard]] Record* find(const Index& index) {
    const auto found = records_.find(index);
    return found == records_.end() ? nullptr : found->second.get();
  }
  void leave_for(const Index& index, int member) {
    Record* const record = find(index);
    if (record == nullptr) return;
    record->goes_to = member;
    depart_later(index, *record);
  }

  /// While it does, computing times and calls between elements are added up.
  void measure(bool on) { turns_.measures = on; }

 private:
  template <class, class, class...>
  friend class LateCall;

  /// The record, if it is here; at its home one that was never touched is.
  Record* at_hand(const Index& index, const Route& route) {
    Record* const record = find(index);
    if (record != nullptr || route.epoch != 0 || home(index) != me_) return record;
    return records_.emplace(index, std::make_unique<Record>()).first->second.get();
  }

  /// On to where the record probably is. A question travels as one: at the limit of nesting only
  /// those are let in.
  template <class Op, class... A>
  void hop(const Index& index, CallHead head, const Op& op, const A&... args) {
    const Route& route = routes_[index];
    head.epoch = route.epoch;
    const Rank to = rank_of(route.epoch == 0 ? home(index) : route.member);
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
    const Route& route = routes_[index];
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
    if (head.number == due && may_run(std::max(head.depth, depth_behind(*record, head.caller)))) {
      perform<Op, A...>(*record, std::move(index), head, op, std::move(args)...);
      return;
    }
    const Index which = index;
    put_off(*record, std::make_unique<LateCall<ObjectPart, Op, A...>>(head, std::move(index), op,
                                                                      std::move(args)...));
    run_waiting(*record, which, head.caller);
  }

  template <class Op, class... A>
  void perform(Record& record, Index index, const CallHead& head, Op op, A... args) {
    const std::uint64_t epoch = record.epoch;
    {
      const Turn<Record> turn(turns_, record, head.depth);
      start(record, index, head.caller);
      op(*this, record, index, head.caller, std::move(args)...);
      run_due(record, head.caller);
    }
    depart_later(index, record);
    if (head.hops > 0 && head.caller != me_)
      self_.async(rank_of(head.caller), &ObjectPart::learn, index, me_, epoch);
    run_held();
  }

  void put_off(Record& record, std::unique_ptr<Late> late) {
    const CallHead head = late->head();
    if (head.depth > 0) {
      Urgent& urgent = record.urgent[head.caller];
      const bool is_past = urgent.number < record.next[head.caller];
      urgent.number = std::max(urgent.number, head.number);
      urgent.depth = is_past ? head.depth : std::max(urgent.depth, head.depth);
    }
    record.waiting.emplace(std::pair(head.caller, head.number), std::move(late));
  }

  /// Before a call is executed: while it waits the next one must get in, as it would have if it
  /// had not come early.
  void start(Record& record, const Index& index, int caller) {
    const std::uint64_t next = ++record.next[caller];
    if (!record.waiting.empty() && record.waiting.contains({caller, next}))
      self_.async(rank_of(me_), &ObjectPart::resume, index, caller);
  }
  void resume(const Index& index, int caller) {
    // If the record has left, the calls have followed it.
    if (Record* const record = find(index)) run_waiting(*record, index, caller);
  }

  /// The next of that caller, if it has come, those behind it, and nothing else.
  void run_due(Record& record, int caller) {
    for (;;) {
      const auto due = record.waiting.find({caller, record.next[caller]});
      if (due == record.waiting.end()) return;
      const std::unique_ptr<Late> late = std::move(due->second);
      record.waiting.erase(due);
      late->run(*this, record);
    }
  }

  /// Runs them in the same way where no running call ends with this. At the limit they are put off,
  /// unless an urgent one is behind them.
  void run_waiting(Record& record, const Index& index, int caller) {
    const auto due = record.waiting.find({caller, record.next[caller]});
    if (due == record.waiting.end()) return;
    const std::uint32_t depth = std::max(due->second->head().depth, depth_behind(record, caller));
    if (!may_run(depth)) return void(held_.emplace_back(index, caller));
    {
      const Turn<Record> turn(turns_, record, depth);
      run_due(record, caller);
    }
    depart_later(index, record);
    run_held();
  }
  [[nodiscard]] bool may_run(std::uint32_t depth) const {
    return turns_.running < running_max_ || depth > turns_.depth;
  }
  /// Returns the depth of the two-way calls that wait behind the one that is due.
  [[nodiscard]] std::uint32_t depth_behind(Record& record, int caller) const {
    const auto urgent = record.urgent.find(caller);
    return urgent == record.urgent.end() || urgent->second.number < record.next[caller]
               ? 0
               : urgent->second.depth;
  }

  /// Those that were put off, one by one, each free to let others in.
  void run_held() {
    if (held_.empty() || resumes_held_) return;
    resumes_held_ = true;
    self_.async(rank_of(me_), &ObjectPart::resume_held);
  }
  void resume_held() {
    resumes_held_ = false;
    const auto next = std::find_if(held_.begin(), held_.end(), [this](const auto& one) {
      Record* const record = find(one.first);
      return record == nullptr || may_run(depth_behind(*record, one.second));
    });
    if (next == held_.end()) return;
    const auto [index, caller] = std::move(*next);
    held_.erase(next);
    run_held();
    resume(index, caller);
  }

  // -- moving
  [[nodiscard]] bool is_to_leave(Record& record) const {
    if (record.goes_to == me_) record.goes_to = -1;
    return record.goes_to >= 0 && record.running == 0;
  }
  /// In a method: those do not wait for room, so whoever calls the element meanwhile finds the
  /// record on its way.
  void depart_later(const Index& index, Record& record) {
    if (is_to_leave(record)) self_.async(rank_of(me_), &ObjectPart::depart, index);
  }
  void depart(const Index& index) {
    Record* const record = find(index);
    if (record != nullptr && is_to_leave(*record)) leave(index, *record);
  }
  void leave(const Index& which, Record& record) {
    const Index index = which;
    const int to = record.goes_to;
    Route& route = routes_[index];
    // May find no memory: then the record is here as before.
    self_.async(rank_of(to), &ObjectPart::settle, index,
                LentRecord<Record, Moving>(record).moving());
    const auto kept = records_.extract(index);
    route.member = to;
    route.epoch = record.epoch + 1;
    for (auto& [number, late] : record.waiting) late->arrive_again(*this);
    if (const int at = home(index); at != me_ && at != to)
      self_.async(rank_of(at), &ObjectPart::learn, index, to, record.epoch + 1);
  }
  void settle(Index index, Moving moving) {
    Route& route = routes_[index];
    route.member = me_;
    route.epoch = moving.epoch;
    Record& here = *(records_[index] = std::make_unique<Record>(std::move(moving)));
    if (!here.object) here.goes_to = home(index);  // what is left of one that has gone
    if (here.goes_to == me_) living_.erase(index);
    if (auto early = early_.extract(index))
      for (auto& late : early.mapped()) {
        self_.async(rank_of(me_), &ObjectPart::resume, index, late->head().caller);
        put_off(here, std::move(late));
      }
    depart_later(index, here);
    if (!moving.failure.empty())
      throw Error(Errc::remote, "object_array: element " + text_of_index(index) +
                                    " was lost where it arrived: " + moving.failure);
  }
  /// Notes where a record has gone.
  void learn(const Index& index, int member, std::uint64_t epoch) {
    Route& route = routes_[index];
    if (epoch <= route.epoch) return;
    route.member = member;
    route.epoch = epoch;
  }

  Team team_;
  int me_;
  std::vector<Rank> ranks_;  // of the members
  shared_ref<ObjectPart> self_;
  std::unordered_map<Index, std::unique_ptr<Record>, Hash> records_;
  std::unordered_map<Index, Route, Hash> routes_;
  std::unordered_map<Index, std::vector<std::unique_ptr<Late>>, Hash> early_;
  std::unordered_set<Index, Hash> living_;
  std::deque<std::pair<Index, int>> held_;  // and the callers
  bool resumes_held_ = false;
  Turns<Record> turns_;
  const int running_max_;
  const std::uint32_t depth_max_;
};

}  // namespace armature::detail
