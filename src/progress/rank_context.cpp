#include "progress/rank_context.hpp"

#include <fmt/format.h>

#include "base/fail.hpp"
#include "progress/wait.hpp"

namespace armature::progress {
namespace {
RankContext* current = nullptr;
}

RankContext& this_rank(const char* call) {
  if (current == nullptr)
    base::fail(Errc::misuse,
               fmt::format("{}: called outside armature::run (or init .. finalize)", call));
  return *current;
}

void set_this_rank(RankContext* context) {
  current = context;
  deliver = context == nullptr ? nullptr : +[] { current->messages.deliver(); };
}

}  // namespace armature::progress
