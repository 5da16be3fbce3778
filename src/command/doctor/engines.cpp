#include <dlfcn.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "command/doctor/checks.hpp"

// Jobs over several machines can build on these. One machine needs none of it.

namespace armature::command {
namespace {

/// Loaded for good: libraries like these start threads and do not like to be unloaded.
void* load(const char* name) { return dlopen(name, RTLD_LAZY | RTLD_LOCAL); }

std::string ucx_version(void* library) {
  const auto version =
      reinterpret_cast<const char* (*)()>(dlsym(library, "ucp_get_version_string"));
  return version != nullptr ? version() : "of unknown version";
}

std::string libfabric_version(void* library) {
  const auto version = reinterpret_cast<std::uint32_t (*)()>(dlsym(library, "fi_version"));
  if (version == nullptr) return "of unknown version";
  return fmt::format("{}.{}", version() >> 16, version() & 0xffff);  // FI_MAJOR, FI_MINOR
}

}  // namespace

void check_engines(Findings& findings) {
  void* ucx = load("libucp.so.0");
  findings.push_back(
      {"UCX (libucp.so.0)", Health::note, ucx != nullptr ? ucx_version(ucx) : "not installed", ""});
  void* libfabric = load("libfabric.so.1");
  findings.push_back({"libfabric (libfabric.so.1)", Health::note,
                      libfabric != nullptr ? libfabric_version(libfabric) : "not installed", ""});
  const void* pmix = load("libpmix.so.2");
  findings.push_back(
      {"PMIx (libpmix.so.2)", Health::note, pmix != nullptr ? "installed" : "not installed", ""});

  std::error_code none;
  const std::filesystem::directory_iterator cards("/sys/class/infiniband", none);
  const bool rdma = !none && cards != std::filesystem::directory_iterator{};
  findings.push_back({"RDMA network cards", Health::note, rdma ? "present" : "none", ""});
}

}  // namespace armature::command
