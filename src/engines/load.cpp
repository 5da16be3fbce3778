// Finds the module of a network engine: beside the library, or beside the command that has the
// library inside.
#include "engines/load.hpp"

#include <dlfcn.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "engines/hook/hook.hpp"

namespace armature::transport {
namespace {

/// An engine that there is, and what it needs.
struct EngineKind {
  const char* name;
  const char* module;
  const char* library;
  const char* package;
  const char* confined_by[2];  // variables
};
constexpr EngineKind kinds[] = {
    {"ucx", "libarmature-ucx.so", "UCX", "libucx0", {"UCX_TLS", "UCX_NET_DEVICES"}},
    {"ofi", "libarmature-ofi.so", "libfabric", "libfabric1", {"FI_PROVIDER"}}};

std::filesystem::path own_folder() {
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void*>(&load_engine), &here) == 0 || here.dli_fname == nullptr)
    return {};
  std::error_code ignored;
  const auto file = std::filesystem::canonical(here.dli_fname, ignored);
  return ignored ? std::filesystem::canonical("/proc/self/exe", ignored).parent_path()
                 : file.parent_path();
}

/// Keeps what signals do: libraries of networks install handlers in place of ours, which say who
/// died of what.
class SignalsKept {
 public:
  SignalsKept() {
    for (int signal = 1; signal < count; ++signal) (void)sigaction(signal, nullptr, at(signal));
  }
  SignalsKept(const SignalsKept&) = delete;
  SignalsKept& operator=(const SignalsKept&) = delete;
  ~SignalsKept() {
    for (int signal = 1; signal < count; ++signal) (void)sigaction(signal, at(signal), nullptr);
  }

 private:
  static constexpr int count = 32;
  struct sigaction* at(int signal) {
    return &actions_[static_cast<std::size_t>(signal)];
  }
  std::array<struct sigaction, count> actions_{};
};

void* load_module(const char* name, std::string& problem) {
  const std::filesystem::path folder = own_folder();
  const std::vector<std::string> places = {folder / name, folder / "../lib" / name,
                                           folder / "../../lib" / name, name};
  problem = "no such file";
  for (const std::string& place : places) {
    if (place != name && !std::filesystem::exists(place)) continue;
    if (void* module = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL)) return module;
    if (place != name || problem == "no such file") problem = dlerror();
  }
  return nullptr;
}

/// Whether the user has confined that engine. No other takes its place then, as that would hide a
/// setting that is wrong.
bool is_set_by_user(const EngineKind& kind) {
  return std::ranges::any_of(kind.confined_by, [](const char* variable) {
    return variable != nullptr && std::getenv(variable) != nullptr;
  });
}

/// Opens that engine, or says in `problem` why it does not work here.
std::unique_ptr<Engine> open_engine(const EngineKind& kind, Sink& sink,
                                    const EngineOptions& options, std::string& problem) {
  void* const module = load_module(kind.module, problem);
  if (module == nullptr) {
    problem = fmt::format("{}: {}; it needs {} (package {})", kind.module, problem, kind.library,
                          kind.package);
    return nullptr;
  }
  const auto open = reinterpret_cast<OpenEngine>(dlsym(module, "armature_open_engine"));
  if (open == nullptr)
    base::fail(Errc::start, fmt::format("{} is of another version of Armature", kind.module));
  char text[512] = "";
  std::unique_ptr<Engine> engine(open(sink, options, text, sizeof text));
  if (engine == nullptr && is_set_by_user(kind))
    base::fail(Errc::start, fmt::format("the network engine: {}", text));
  if (engine == nullptr) problem = fmt::format("{}: {}", kind.module, text);
  return engine;
}

/// The first that works here, of those that the options allow.
std::unique_ptr<Engine> open_engine(Sink& sink, const EngineOptions& options) {
  const SignalsKept kept;
  std::string problems;
  for (const EngineKind& kind : kinds) {
    if (!options.name.empty() && options.name != kind.name) continue;
    std::string problem;
    if (auto engine = open_engine(kind, sink, options, problem)) return engine;
    problems += (problems.empty() ? "" : ". ") + problem;
  }
  base::fail(
      Errc::start,
      fmt::format("a job of several nodes needs a network engine that works here: {}", problems));
}

}  // namespace

std::string engine_wanted() {
  const char* const set = std::getenv("ARMATURE_NET_ENGINE");
  const std::string name = set != nullptr ? set : "";
  const auto is_named = [&](const EngineKind& kind) { return name == kind.name; };
  if (!name.empty() && std::ranges::none_of(kinds, is_named))
    base::fail(Errc::start, fmt::format("ARMATURE_NET_ENGINE={}: it may be ucx or ofi", name));
  return name;
}

std::unique_ptr<Engine> load_engine(Sink& sink, const EngineOptions& options) {
  EngineOptions chosen = options;
  if (chosen.name.empty()) chosen.name = engine_wanted();
  const char* const hook = std::getenv("ARMATURE_NET_HOOK");
  if (hook == nullptr) return open_engine(sink, chosen);
  const HookOptions options_of_hook = HookOptions::parse(hook);
  return std::make_unique<Hook>(sink, options_of_hook, [&](Sink& own) -> std::unique_ptr<Engine> {
    const CardOptions& card = options_of_hook.card;
    if (card.seed == 0) return open_engine(own, chosen);
    chosen.one_sided = EngineOptions::OneSided::off;
    return std::make_unique<Card>(own, card, open_engine(own, chosen));
  });
}

}  // namespace armature::transport
