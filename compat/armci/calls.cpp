#include "calls.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include <armature/run.hpp>

namespace armci {

namespace {

/// The call as the caller knows it: without the P of its profiling twin.
const char* spelled(const char* call) {
  const bool twin = std::strncmp(call, "PARMCI_", 7) == 0 || std::strncmp(call, "parmci_", 7) == 0;
  return twin ? call + 1 : call;
}

/// The library begins its messages with "armature: rank N: "; here the call comes first.
std::string_view without_prefix(std::string_view why) {
  constexpr std::string_view prefix = "armature: rank ";
  if (!why.starts_with(prefix)) return why;
  const std::size_t end = why.find(": ", prefix.size());
  return end == std::string_view::npos ? why : why.substr(end + 2);
}

std::string sentence(const char* call, std::string_view why) {
  return std::string(spelled(call)) + ": " + std::string(without_prefix(why));
}

}  // namespace

int code_of(const armature::Error& error) {
  switch (error.code()) {
    case armature::Errc::bad_rank:
      return bad_process;
    case armature::Errc::bad_argument:
      return bad_count;
    default:
      return failed;
  }
}

int explain(const char* call, int code, const char* why) {
  static const bool verbose = [] {
    const char* asked = std::getenv("ARMCI_VERBOSE");
    return asked != nullptr && *asked != '\0' && *asked != '0';
  }();
  if (verbose) std::fprintf(stderr, "%s (code %d)\n", sentence(call, why).c_str(), code);
  return code;
}

void fatal(const char* call, int code, const char* why) {
  armature::abort(-code, sentence(call, why));
}

}  // namespace armci
