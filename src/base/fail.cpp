#include "base/fail.hpp"

#include <cstdio>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>

namespace armature {

Error::Error(Errc code, const std::string& message) : std::runtime_error(message), code_(code) {}
Error::~Error() = default;

namespace base {

namespace {
thread_local int current_rank = -1;
}

int message_rank() { return current_rank; }
void set_message_rank(int rank) { current_rank = rank; }

void fail(Errc code, const std::string& what) {
  if (current_rank < 0) throw Error(code, fmt::format("armature: {}", what));
  throw Error(code, fmt::format("armature: rank {}: {}", current_rank, what));
}

std::string system_text(int error) { return std::generic_category().message(error); }

void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "armature: rank %d: internal error: %s does not hold (%s:%d)\n",
               current_rank, condition, file, line);
  std::abort();
}

}  // namespace base
}  // namespace armature
