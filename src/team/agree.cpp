#include "team/agree.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <string_view>

#include <fmt/format.h>

#include "armature/detail/agree.hpp"
#include "armature/team.hpp"
#include "base/fail.hpp"

namespace armature {

using detail::TeamState;

namespace {

/// As NamedCall, of a call that has no scope of its own.
class NamedAgreement {
 public:
  NamedAgreement(TeamState& team, std::string_view call)
      : user_call_(team.lines().user_call()), is_part_(user_call_ != team::UserCall::none) {
    if (!is_part_) user_call_ = team::call_named(call);
  }
  NamedAgreement(const NamedAgreement&) = delete;
  NamedAgreement& operator=(const NamedAgreement&) = delete;
  ~NamedAgreement() {
    if (!is_part_) user_call_ = team::UserCall::none;
  }

 private:
  std::atomic<team::UserCall>& user_call_;
  const bool is_part_;
};

}  // namespace

std::optional<team::Objected> team::first_objection(TeamState& team,
                                                    const std::optional<Objection>& mine,
                                                    const char* call) {
  const TeamState::Collective one_at_a_time(team, call);
  const NamedAgreement named(team, call);
  std::size_t shown = 0;
  if (mine) {
    constexpr std::size_t text_max = 1000;
    shown = sizeof mine->code + std::min(mine->text.size(), text_max);
    std::byte* const to = team.lines().outgoing(shown);
    std::memcpy(to, &mine->code, sizeof mine->code);
    std::memcpy(to + sizeof mine->code, mine->text.data(), shown - sizeof mine->code);
  }
  team.round({TeamState::Kind::agreement}, shown, call);
  const auto first = team.lines().first_to_show();
  if (!first) return std::nullopt;
  Objected objected;
  objected.member = first->member;
  const std::byte* const from = team.lines().incoming(first->member, first->bytes);
  std::memcpy(&objected.code, from, sizeof objected.code);
  objected.text.assign(reinterpret_cast<const char*>(from) + sizeof objected.code,
                       first->bytes - sizeof objected.code);
  return objected;
}

void team::agree(TeamState& team, const std::optional<Objection>& mine, const char* call) {
  const auto first = first_objection(team, mine, call);
  if (!first) return;
  const std::int32_t rank = team.members()[static_cast<std::size_t>(first->member)];
  base::fail(first->code, first->member == team.rank()
                              ? fmt::format("{}: {}", call, first->text)
                              : fmt::format("{}: rank {}: {}", call, rank, first->text));
}

namespace {

team::Objection objection_of(const std::exception_ptr& failure, const char* call) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    return {error.code(), error.what()};
  } catch (const std::bad_alloc&) {
    return {Errc::out_of_memory, fmt::format("{}: no memory in the process", call)};
  } catch (const std::exception& exception) {
    return {Errc::remote, exception.what()};
  } catch (...) {
    return {Errc::remote, "an exception of unknown type"};
  }
}

bool is_bad_alloc(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace

void detail::agree(const Team& team, const char* call, const std::exception_ptr& failure) {
  TeamState& state = team.checked(call);
  std::optional<team::Objection> mine;
  if (failure != nullptr) mine = objection_of(failure, call);
  const auto first = team::first_objection(state, mine, call);
  if (!first) return;
  if (first->member != state.rank()) {
    const std::int32_t rank = state.members()[static_cast<std::size_t>(first->member)];
    const std::string text = fmt::format("{}: rank {} could not: {}", call, rank, first->text);
    if (first->code == Errc::remote) throw RemoteError(first->code, rank, text);
    base::fail(first->code, text);
  }
  if (is_bad_alloc(failure)) base::fail(first->code, first->text);
  std::rethrow_exception(failure);
}

}  // namespace armature
