#include "bootstrap/launcher/moving.hpp"

#include <sys/personality.h>
#include <sys/random.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "bootstrap/environment.hpp"

namespace armature::bootstrap {
namespace {

/// In bin/ is this command, in lib/ beside it the library.
std::filesystem::path malloc_library() {
  std::error_code error;
  const auto command = std::filesystem::read_symlink("/proc/self/exe", error);
  return command.parent_path().parent_path() / "lib" / "libarmature-malloc.so";
}

}  // namespace

void prepare_moving(const std::string& secrets_before) {
  const int before = personality(0xffffffff);
  if (before >= 0) personality(static_cast<unsigned long>(before) | ADDR_NO_RANDOMIZE);
  std::uint64_t secrets[2] = {};
  if (!secrets_before.empty())
    setenv(secrets_variable, secrets_before.c_str(), 1);
  else if (getrandom(secrets, sizeof secrets, 0) == sizeof secrets)
    setenv(secrets_variable, fmt::format("{:016x}{:016x}", secrets[0], secrets[1]).c_str(), 1);
  const std::filesystem::path library = malloc_library();
  if (access(library.c_str(), R_OK) != 0) return;
  const char* const others = std::getenv("LD_PRELOAD");
  const std::string all = others != nullptr ? library.string() + ":" + others : library.string();
  setenv("LD_PRELOAD", all.c_str(), 1);
}

}  // namespace armature::bootstrap
