#include "armature/layer/races.hpp"

#include "races/races.hpp"
#include "wait/ordered.hpp"
#include "wait/rank_context.hpp"

namespace armature::layer {
namespace {

void tell_of(Rank owner, const void* begin, std::size_t bytes, races::Kind kind, const char* call) {
  if (!races::looks()) return;
  (void)races::access(wait::this_rank(call).space.me(), {.target = static_cast<int>(owner),
                                                         .begin = begin,
                                                         .bytes = bytes,
                                                         .kind = kind,
                                                         .call = call,
                                                         .is_complete = true});
}

}  // namespace

bool looks_for_races() { return races::looks(); }

void order_strictly() { races::order_strictly(); }

KeepPuts::KeepPuts() { races::keep_puts(wait::this_rank("barrier").space.me(), true); }
KeepPuts::~KeepPuts() { races::keep_puts(wait::this_rank("barrier").space.me(), false); }

void has_seen(const void* words, std::size_t bytes) { wait::hear_of(words, bytes); }

void reads(Rank owner, const void* begin, std::size_t bytes) {
  tell_of(owner, begin, bytes, races::Kind::read, "load");
}
void writes(Rank owner, const void* begin, std::size_t bytes) {
  tell_of(owner, begin, bytes, races::Kind::write, "store");
}

void variables_are_in_segment(const void* begin, std::size_t bytes, const void* in_segment) {
  races::add_variables(begin, bytes, in_segment);
}

}  // namespace armature::layer
