#include "armature/layer/races.hpp"

#include "base/variable.hpp"
#include "races/races.hpp"
#include "wait/ordered.hpp"
#include "wait/rank_context.hpp"

namespace armature::layer {
namespace {

void tell_of(races::Access access, Rank owner) {
  const wait::RankContext* const me = wait::current_rank();
  if (me == nullptr) return;
  access.target = static_cast<int>(owner);
  access.is_complete = true;
  (void)races::access(me->space.me(), access);
}

}  // namespace

void do_not_look_for_races() {
  constexpr std::uint64_t wherever_possible = 2;
  if (base::number_variable("ARMATURE_RACES").value_or(0) < wherever_possible) races::close();
}

bool looks_for_races() { return races::looks(); }

void order_strictly() { races::order_strictly(); }

KeepPuts::KeepPuts() { races::keep_puts(wait::this_rank("barrier").space.me(), true); }
KeepPuts::~KeepPuts() { races::keep_puts(wait::this_rank("barrier").space.me(), false); }

void has_seen(const void* words, std::size_t bytes) { wait::hear_of(words, bytes); }

void reads(Rank owner, const void* begin, std::size_t bytes, const void* place) {
  tell_of(
      {.begin = begin, .bytes = bytes, .kind = races::Kind::read, .call = "load", .place = place},
      owner);
}
void writes(Rank owner, const void* begin, std::size_t bytes, const void* place) {
  tell_of(
      {.begin = begin, .bytes = bytes, .kind = races::Kind::write, .call = "store", .place = place},
      owner);
}

void variables_are_in_segment(const void* begin, std::size_t bytes, const void* in_segment) {
  races::add_variables(begin, bytes, in_segment);
}

}  // namespace armature::layer
