#include <dlfcn.h>

#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "doctor/checks.hpp"

// What jobs over several machines can build on. One machine needs none of it.

namespace armature::tools {
namespace {

using Library = std::unique_ptr<void, int (*)(void*)>;

Library load(const char* name) { return {dlopen(name, RTLD_LAZY | RTLD_LOCAL), &dlclose}; }

std::string ucx_version(const Library& library) {
  const auto version =
      reinterpret_cast<const char* (*)()>(dlsym(library.get(), "ucp_get_version_string"));
  return version != nullptr ? version() : "of unknown version";
}

}  // namespace

void check_engines(Findings& findings) {
  const Library ucx = load("libucp.so.0");
  findings.push_back(
      {"UCX (libucp.so.0)", Health::note, ucx ? ucx_version(ucx) : "not installed", ""});
  const Library pmix = load("libpmix.so.2");
  findings.push_back(
      {"PMIx (libpmix.so.2)", Health::note, pmix ? "installed" : "not installed", ""});

  std::error_code none;
  const std::filesystem::directory_iterator cards("/sys/class/infiniband", none);
  const bool rdma = !none && cards != std::filesystem::directory_iterator{};
  findings.push_back({"RDMA network cards", Health::note, rdma ? "present" : "none", ""});
}

}  // namespace armature::tools
