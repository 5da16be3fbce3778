#include "teams.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include <armature/collectives.hpp>

#include "calls.hpp"
#include "coarray.hpp"
#include "departure.hpp"

namespace caf {
namespace {

constexpr std::size_t team_block_bytes = std::size_t{256} << 10;

using Choice = TeamOfImages::Choice;

/// The number that stands for one beyond those of teams.
constexpr int too_large = std::numeric_limits<int>::min();

/// The members of the parent team that have chosen that number, in the order of the new team: those
/// without an index of their own take the free ones. -1: nobody has that index.
std::vector<int> members_in(const std::vector<Choice>& choices, int number) {
  const auto count = std::count_if(choices.begin(), choices.end(),
                                   [=](const Choice& choice) { return choice.number == number; });
  std::vector<int> members(static_cast<std::size_t>(count), -1);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (choices[i].number != number || choices[i].index == 0) continue;
    if (choices[i].index < 0 || choices[i].index > count)
      refuse("new_index " + std::to_string(choices[i].index) + " is none of the " +
             std::to_string(count) + " images of team " + std::to_string(number));
    int& place = members[static_cast<std::size_t>(choices[i].index) - 1];
    if (place >= 0)
      refuse("two images have chosen new_index " + std::to_string(choices[i].index) + " in team " +
             std::to_string(number));
    place = static_cast<int>(i);
  }
  auto free = members.begin();
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (choices[i].number != number || choices[i].index != 0) continue;
    free = std::find(free, members.end(), -1);
    *free = static_cast<int>(i);
  }
  return members;
}

int told(std::int64_t wanted) {
  using Int = std::numeric_limits<int>;
  if (wanted > Int::max()) return too_large;
  return static_cast<int>(std::max<std::int64_t>(wanted, Int::min() + 1));
}

void require_numbers(const std::vector<Choice>& choices) {
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const int number = choices[i].number;
    if (number == too_large)
      refuse("image " + std::to_string(i + 1) + " has chosen a team number that is too large");
    if (number < 1)
      refuse("team number " + std::to_string(number) + " is not positive, which image " +
             std::to_string(i + 1) + " has chosen");
  }
}

}  // namespace

TeamOfImages& team_in(TeamOfImages* const* variable) {
  if (variable == nullptr || *variable == nullptr)
    refuse("the team variable has no team yet: FORM TEAM gives it one");
  return **variable;
}

bool is_team(const Image& me, const void* address) {
  return address == &me.initial ||
         std::any_of(me.teams.begin(), me.teams.end(),
                     [=](const TeamOfImages& team) { return address == &team; });
}

TeamOfImages* form_team(Image& me, std::int64_t wanted, int new_index) {
  TeamOfImages& parent = *me.current;
  synchronize(parent);
  // All find out alike where a number or an index is wrong: nobody waits for one who was refused.
  const int number = told(wanted);
  std::vector<Choice> choices = armature::allgather(parent.team, Choice{number, new_index});
  require_numbers(choices);
  for (const Choice& choice : choices)
    if (choice.index != 0) (void)members_in(choices, choice.number);
  const std::vector<int> members = members_in(choices, number);
  const auto mine = std::find(members.begin(), members.end(), parent.team.rank());
  armature::Team team = parent.team.split(number, static_cast<int>(mine - members.begin()));
  TeamOfImages& made = me.teams.emplace_back(std::move(team), number, &parent, team_block_bytes);
  made.ranks.reserve(static_cast<std::size_t>(made.size()));
  for (int member = 0; member < made.size(); ++member)
    made.ranks.push_back(made.team.world_rank(member));
  made.choices = std::move(choices);
  open_departures(made);
  return &made;
}

void change_team(Image& me, TeamOfImages& team) {
  if (team.parent != me.current)
    refuse("team " + std::to_string(team.number) + " was not formed by the current team");
  return_to_team(me, team);
  synchronize(team);
  enter_team(me, team);
}

void end_team(Image& me) {
  TeamOfImages& team = *me.current;
  if (team.parent == nullptr) refuse("no team was changed to");
  leave_team(me);
  synchronize(team);
  free_allocated(team);
  enter_team(me, *team.parent);
}

TeamOfImages& team_at(Image& me, Level level) {
  if (level == Level::initial) return me.initial;
  const bool is_parent = level == Level::parent && me.current->parent != nullptr;
  return is_parent ? *me.current->parent : *me.current;
}

std::vector<armature::Rank> ranks_in(const Image& me, int team_number) {
  std::vector<armature::Rank> ranks;
  const TeamOfImages* team = me.current;
  for (; team != nullptr && team->number != team_number; team = team->parent) {
    if (team->parent == nullptr) continue;
    for (const int member : members_in(team->choices, team_number))
      ranks.push_back(team->parent->rank_of(member + 1));
    if (!ranks.empty()) return ranks;
  }
  if (team == nullptr) refuse("no team has the number " + std::to_string(team_number));
  for (int image = 1; image <= team->size(); ++image) ranks.push_back(team->rank_of(image));
  return ranks;
}

}  // namespace caf
