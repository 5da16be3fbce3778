#include "base/fail.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>

#include "base/runtime.hpp"

namespace armature {

Error::Error(Errc code, const std::string& message) : std::runtime_error(message), code_(code) {}
Error::~Error() = default;

RemoteError::RemoteError(Errc code, int rank, const std::string& message)
    : Error(code, message), rank_(rank) {}
RemoteError::~RemoteError() = default;

namespace base {

namespace {
struct MessageRank {
  // Relaxed: set before there is a rank to ask for.
  std::atomic<int (*)()> ask = nullptr;
};
}  // namespace

int message_rank() {
  const auto* const known = Runtime::here().find<MessageRank>();
  const auto ask = known != nullptr ? known->ask.load(std::memory_order_relaxed) : nullptr;
  return ask != nullptr ? ask() : -1;
}
void set_message_rank(int (*calling_rank)()) {
  state<MessageRank>().ask.store(calling_rank, std::memory_order_relaxed);
}

void fail(Errc code, const std::string& what) {
  const int rank = message_rank();
  if (rank < 0) throw Error(code, fmt::format("armature: {}", what));
  throw Error(code, fmt::format("armature: rank {}: {}", rank, what));
}

std::string system_text(int error) { return std::generic_category().message(error); }

void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "armature: rank %d: internal error: %s does not hold (%s:%d)\n",
               message_rank(), condition, file, line);
  std::abort();
}

}  // namespace base
}  // namespace armature
