// The calls for records, and for contexts of messages.
#include <cstdint>

#include <fmt/format.h>

#include "armature/collectives.hpp"
#include "armature/layer/service.hpp"
#include "base/fail.hpp"
#include "layer/services.hpp"
#include "layer/work.hpp"
#include "team/agree.hpp"
#include "team/team_state.hpp"
#include "wait/rank_context.hpp"

namespace armature::layer {

bool send_record(ServiceId service, std::uint8_t kind, Rank to, std::span<const std::byte> bytes) {
  const wait::RankContext& me = wait::this_rank("send_record");
  me.space.require_rank(to, "send_record");
  const auto number = static_cast<std::uint32_t>(service);
  const auto& all = layers::added();
  if (number >= all.size() || kind >= all[number].of_layer.handlers.size())
    base::fail(Errc::bad_argument,
               fmt::format("send_record: there is no record {} of service {}{}", kind, number,
                           number < all.size() ? fmt::format(" (\"{}\")", all[number].of_layer.name)
                                               : std::string()));
  return layers::this_work("send_record").send(number, kind, to, bytes);
}

Context context_of(ServiceId service) {
  const auto number = static_cast<std::uint32_t>(service);
  if (number >= layers::added().size())
    base::fail(Errc::bad_argument, fmt::format("context_of: there is no service {}", number));
  return Context(message::context::first_of_services + number);
}

// Two teams whose contexts are equal have no member in common: a member uses each number once. So
// no message can match a receive of the other team.
Context make_context(const Team& team) {
  constexpr const char* call = "make_context";
  wait::require_no_handler(wait::this_rank(call), call);
  detail::TeamState& state = team.checked(call);
  std::uint32_t& mine = layers::this_work(call).next_context();
  const auto next = allreduce(team, mine, Maximum{});
  if (next == message::context::first_of_collectives)  // all members have the same
    base::fail(Errc::out_of_memory,
               fmt::format("{}: a member of team {} has none left", call, state.id()));
  mine = next + 1;
  return Context(next);
}

}  // namespace armature::layer
