#include "armature/named_call.hpp"

#include "armature/team.hpp"
#include "team/team_state.hpp"
#include "team/user_call.hpp"

namespace armature::detail {

NamedCall::NamedCall(const Team& team, UserCall call) {
  TeamState& state = team.checked(team::name_of(call));
  if (state.lines().user_call() != UserCall::none) return;
  named_ = &state;
  named_->lines().user_call() = call;
}

NamedCall::~NamedCall() {
  if (named_ != nullptr) named_->lines().user_call() = UserCall::none;
}

}  // namespace armature::detail
