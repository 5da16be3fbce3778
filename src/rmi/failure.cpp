#include "rmi/failure.hpp"

#include <cstring>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/fail.hpp"

namespace armature::rmi {

void corrupt(const std::string& what) noexcept {
  base::fail(Errc::corrupt, what + ": memory of this job is damaged; nothing of it was acted on");
}

namespace {

/// Tells whether the text says already where the call failed: once is enough in a call within a
/// call.
bool names_rank(std::string_view text) {
  if (text.starts_with("armature: ")) text.remove_prefix(std::strlen("armature: "));
  if (!text.starts_with("rank ")) return false;
  text.remove_prefix(std::strlen("rank "));
  const std::size_t digits = text.find_first_not_of("0123456789");
  return digits != 0 && digits != std::string_view::npos && text.substr(digits).starts_with(": ");
}

}  // namespace

void throw_remote(Errc code, Rank from, const std::string& text) {
  throw RemoteError(
      code, from,
      names_rank(text) ? text : fmt::format("rank {}: {}", static_cast<int>(from), text));
}

}  // namespace armature::rmi
