#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>

#include "team/learned.hpp"
#include "team/learner.hpp"
#include "team/signature.hpp"
#include "team/user_call.hpp"

// Communication that optimises itself (Huang, Lee and Kale, 2006, section 2.4): a team learns while
// the program runs in which of several ways its long reductions take least time. Asked for by
// `armature run --collectives adaptive`; other values fix one way. By default the way is chosen by
// bytes and members: so a call that is repeated gives the same bits.
//
// What is learned is kept for each kind of call, the program's call that it is a part of, and its
// length to the next power of two. All of these members agree in. Lines of the program are not
// told apart: members may legally make the same call in different lines.

namespace armature::detail {
class TeamState;
}

namespace armature::team {

/// A member's memory of what its team has learned.
class Adaptive {
 public:
  explicit Adaptive(detail::TeamState& team) : team_(team) {}
  Adaptive(const Adaptive&) = delete;
  Adaptive& operator=(const Adaptive&) = delete;

  /// One long reduction of the team, from its beginning to its end. All members make it. May show
  /// things in rounds of its own: before the call puts anything in place. Throws what a round does.
  class Call {
   public:
    Call(detail::TeamState& team, const Agreed& agreed, const char* name);
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call();
    [[nodiscard]] Way way() const { return way_; }

   private:
    Adaptive* all_ = nullptr;  // nullptr: nothing is learned
    Agreed agreed_;
    const char* name_;
    Learner* learner_ = nullptr;
    std::uint64_t begun_ns_ = 0;
    Way way_ = Way::usual;
  };

 private:
  enum class Setting : std::uint8_t { unknown, fixed, adaptive };
  using Key = std::tuple<RoundKind, UserCall, unsigned>;
  struct Row {
    explicit Row(std::size_t ways) : learner(ways) {}
    Learner learner;
    int place = -1;  // in the team's block
  };

  void find_setting(const Agreed& agreed, const char* name);
  Row& row_of(const Agreed& agreed);
  void meet(Row& row, const Agreed& agreed, const char* name);
  void show(const Key& key, const Row& row);
  [[nodiscard]] Key key_of(const Agreed& agreed) const;

  detail::TeamState& team_;
  Setting setting_ = Setting::unknown;
  Way fixed_ = Way::usual;
  std::map<Key, Row> rows_;
};

}  // namespace armature::team
