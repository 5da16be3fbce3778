#include "calls.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include <armature/error.hpp>
#include <armature/run.hpp>

#include "fortran.hpp"

namespace caf {
namespace {

int stat_of(const std::exception& error) {
  if (const auto* const refusal = dynamic_cast<const Refusal*>(&error); refusal != nullptr)
    return refusal->stat();
  if (const auto* const known = dynamic_cast<const armature::Error*>(&error); known != nullptr) {
    if (known->code() == armature::Errc::rank_lost) return stat::failed_image;
    if (known->code() == armature::Errc::out_of_memory) return stat::allocation;
  }
  return stat::other;
}

/// The words without the library's own beginning, "armature: rank N: ".
std::string_view words_of(const char* why) {
  constexpr std::string_view prefix = "armature: rank ";
  std::string_view said = why;
  if (const std::size_t end = said.find(": ", prefix.size());
      said.starts_with(prefix) && end != std::string_view::npos)
    said.remove_prefix(end + 2);
  return said;
}

}  // namespace

void refuse(const std::string& why, int stat) { throw Refusal(why, stat); }

void end_all(const char* statement, const char* why) {
  flush_units();
  armature::abort(1, std::string(statement) + ": " + std::string(words_of(why)));
}

void report(const char* statement, const Outcome& outcome, const std::exception& error) {
  if (outcome.stat == nullptr) end_all(statement, error.what());
  *outcome.stat = stat_of(error);
  if (outcome.message == nullptr) return;
  const std::string_view said = words_of(error.what());
  const std::size_t kept = std::min(said.size(), outcome.message_bytes);
  std::memcpy(outcome.message, said.data(), kept);
  std::memset(outcome.message + kept, ' ', outcome.message_bytes - kept);
}

}  // namespace caf
