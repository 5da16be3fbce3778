#include "armature/array/agreement.hpp"

#include <algorithm>
#include <span>

#include "armature/collectives.hpp"
#include "armature/error.hpp"

namespace armature::detail {

std::string first_mistake(const Team& team, const std::string& mine) {
  const int none = team.size();
  const int first = allreduce(team, mine.empty() ? none : team.rank(),
                              [](int a, int b) { return std::min(a, b); });
  if (first == none) return {};
  std::string text = mine;
  text.resize(broadcast(team, text.size(), first));
  broadcast(team, std::span<char>(text), first);
  return text;
}

void require_no_mistake(const Team& team, const std::string& mine) {
  const std::string mistake = first_mistake(team, mine);
  if (!mistake.empty()) throw Error(Errc::bad_argument, mistake);
}

}  // namespace armature::detail
