#include "calls.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <armature/run.hpp>

namespace armci {

namespace {

/// The call as the caller knows it: without the P of its profiling twin.
const char* spelled(const char* call) {
  const bool twin = std::strncmp(call, "PARMCI_", 7) == 0 || std::strncmp(call, "parmci_", 7) == 0;
  return twin ? call + 1 : call;
}

/// The library begins its messages with "armature: rank N: ", which is so long.
std::size_t prefix_bytes(std::string_view why) {
  constexpr std::string_view prefix = "armature: rank ";
  if (!why.starts_with(prefix)) return 0;
  const std::size_t end = why.find(": ", prefix.size());
  return end == std::string_view::npos ? 0 : end + 2;
}

/// Here the call comes first.
std::string_view without_prefix(std::string_view why) { return why.substr(prefix_bytes(why)); }

std::string sentence(const char* call, std::string_view why) {
  return std::string(spelled(call)) + ": " + std::string(without_prefix(why));
}

bool is_verbose() {
  static const bool verbose = [] {
    const char* asked = std::getenv("ARMCI_VERBOSE");
    return asked != nullptr && *asked != '\0' && *asked != '0';
  }();
  return verbose;
}

/// Returns what ARMCI_ERRORS asks for.
std::string_view what_errors_do() {
  static const char* const asked = std::getenv("ARMCI_ERRORS");
  return asked != nullptr && *asked != '\0' ? asked : "return";
}

/// Names a place as addr2line takes it: the program or library, and the address in it.
std::string place(const void* site) {
  const auto address = reinterpret_cast<std::uintptr_t>(site) - 1;  // in the call, not behind it
  Dl_info found{};
  link_map* map = nullptr;
  if (dladdr1(reinterpret_cast<void*>(address), &found, reinterpret_cast<void**>(&map),
              RTLD_DL_LINKMAP) == 0)
    return "?";
  char text[32];
  std::snprintf(text, sizeof text, "+%#zx", address - (map != nullptr ? map->l_addr : 0));
  return found.dli_fname + std::string(text);
}

/// A place may make several calls: by a pointer, or as what a function ends with.
bool is_new(const Call& call) {
  static std::mutex lock;
  // Never destroyed: the last transfers may come after destructors.
  static auto& seen = *new std::set<std::pair<const char*, const void*>>;
  const std::lock_guard held(lock);
  return seen.emplace(call.name, call.site).second;
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
  if (is_verbose()) std::fprintf(stderr, "%s (code %d)\n", sentence(call, why).c_str(), code);
  return code;
}

int refuse(Call call, int code, const char* why) {
  if (what_errors_do() == "abort") fatal(call.name, code, why);
  if (code == failed && !is_verbose() && is_new(call)) {
    const std::string_view all = why;
    const std::size_t prefix = prefix_bytes(all);
    std::fprintf(stderr,
                 "%s%s, called at %s: %s (code %d; said once for this place; ARMCI_ERRORS=abort "
                 "ends the job instead)\n",
                 prefix == 0 ? "armature: " : std::string(all.substr(0, prefix)).c_str(),
                 spelled(call.name), place(call.site).c_str(), why + prefix, code);
  }
  return explain(call.name, code, why);
}

void check_settings() {
  const std::string_view asked = what_errors_do();
  if (asked != "abort" && asked != "return")
    throw armature::Error(armature::Errc::bad_argument,
                          "ARMCI_ERRORS=" + std::string(asked) + " is neither return nor abort");
}

void fatal(const char* call, int code, const char* why) {
  armature::abort(-code, sentence(call, why));
}

}  // namespace armci
