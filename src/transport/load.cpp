// Finds the module of the network engine: beside the library, or beside the command that has the
// library inside.
#include "transport/load.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "transport/hook/hook.hpp"

namespace armature::transport {
namespace {

constexpr const char* module_name = "libarmature-ucx.so";

std::filesystem::path own_folder() {
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void*>(&load_engine), &here) == 0 || here.dli_fname == nullptr)
    return {};
  std::error_code ignored;
  const auto file = std::filesystem::canonical(here.dli_fname, ignored);
  return ignored ? std::filesystem::canonical("/proc/self/exe", ignored).parent_path()
                 : file.parent_path();
}

void* load_module(std::string& problem) {
  const std::filesystem::path folder = own_folder();
  const std::vector<std::string> places = {folder / module_name, folder / "../lib" / module_name,
                                           folder / "../../lib" / module_name, module_name};
  for (const std::string& place : places) {
    if (place != module_name && !std::filesystem::exists(place)) continue;
    if (void* module = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL)) return module;
    problem = dlerror();
  }
  return nullptr;
}

std::unique_ptr<Engine> open_engine(Sink& sink, const EngineOptions& options) {
  std::string problem = "no such file";
  void* const module = load_module(problem);
  if (module == nullptr)
    base::fail(Errc::start, fmt::format("a job of several nodes needs {}: {}. It lies beside "
                                        "libarmature and needs UCX (package libucx0)",
                                        module_name, problem));
  const auto open = reinterpret_cast<OpenEngine>(dlsym(module, "armature_open_engine"));
  if (open == nullptr)
    base::fail(Errc::start, fmt::format("{} is of another version of Armature", module_name));
  char text[512] = "";
  std::unique_ptr<Engine> engine(open(sink, options, text, sizeof text));
  if (engine == nullptr) base::fail(Errc::start, fmt::format("the network engine: {}", text));
  return engine;
}

}  // namespace

std::unique_ptr<Engine> load_engine(Sink& sink, const EngineOptions& options) {
  const char* const hook = std::getenv("ARMATURE_NET_HOOK");
  if (hook == nullptr) return open_engine(sink, options);
  return std::make_unique<Hook>(sink, HookOptions::parse(hook),
                                [&](Sink& own) { return open_engine(own, options); });
}

}  // namespace armature::transport
