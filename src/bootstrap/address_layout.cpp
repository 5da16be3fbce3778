#include "bootstrap/address_layout.hpp"

#include <dlfcn.h>
#include <sys/personality.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "bootstrap/environment.hpp"
#include "bootstrap/private_globals.hpp"

namespace armature::bootstrap {
namespace {

/// Finds the library beside this one, or in lib/ beside the bin/ of a program that has the library
/// in it. Empty where it is not there.
std::string malloc_library() {
  Dl_info self;
  std::error_code error;
  std::vector<std::filesystem::path> files = {
      std::filesystem::read_symlink("/proc/self/exe", error)};
  if (dladdr(reinterpret_cast<const void*>(&fix_address_layout), &self) != 0)
    if (const std::filesystem::path file = self.dli_fname; file.is_absolute())
      files.push_back(file);  // else it is the program, by the word that it was started with
  for (const auto& file : files) {
    const auto folder = file.parent_path();
    for (const auto& place :
         {folder, folder.parent_path() / "lib", folder.parent_path() / ARMATURE_LIBDIR})
      if (const auto library = place / "libarmature-malloc.so"; access(library.c_str(), R_OK) == 0)
        return library;
  }
  return {};
}

/// Whether a list of libraries as LD_PRELOAD has it names that file.
bool is_named_in(std::string_view list, std::string_view file) {
  while (!list.empty()) {
    const auto end = std::min(list.find_first_of(": "), list.size());
    if (list.substr(0, end) == file) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

}  // namespace

void fix_address_layout(const std::string& secrets) {
  const int before = personality(0xffffffff);
  if (before >= 0) personality(static_cast<unsigned long>(before) | ADDR_NO_RANDOMIZE);
  setenv(secrets_variable, secrets.c_str(), 1);
  // Copies of the program find functions of libraries bound: none is looked up at each call.
  if (PrivateGlobals::of_environment().are_on) setenv("LD_BIND_NOW", "1", 1);
  const std::string library = malloc_library();
  if (library.empty()) return;
  const char* const text = std::getenv("LD_PRELOAD");
  const std::string others = text != nullptr ? text : "";
  if (is_named_in(others, library)) return;  // by who has started this process
  setenv("LD_PRELOAD", (others.empty() ? library : library + ":" + others).c_str(), 1);
}

bool has_malloc_of_ranks() { return !malloc_library().empty(); }

std::string new_secrets() {
  std::uint64_t secrets[2] = {};
  if (getrandom(secrets, sizeof secrets, 0) != sizeof secrets)
    base::fail(Errc::start, fmt::format("no random numbers: {}", base::system_text(errno)));
  return fmt::format("{:016x}{:016x}", secrets[0], secrets[1]);
}

std::vector<std::string> padding_for(std::string_view path, std::span<const char* const> words,
                                     std::span<const char* const> environment) {
  constexpr std::size_t whole = std::size_t{64} * 1024, pointer = sizeof(char*);
  std::size_t bytes = path.size() + 1, count = 0;
  const auto add = [&](std::size_t length) {
    bytes += length + 1;
    ++count;
  };
  for (const char* word : words) add(std::strlen(word));
  for (const char* variable : environment) add(std::strlen(variable));
  std::vector<std::string> missing;
  // The kernel rounds to 16 bytes in between, so the pointers must be an even number.
  if (count % 2 == 0) {
    missing.push_back(fmt::format("{}=", even_variable));
    add(missing.back().size());
  }
  std::string padding = fmt::format("{}=", padding_variable);
  add(padding.size());
  bytes += count * pointer;
  padding.append((whole - bytes % whole) % whole, '.');
  missing.push_back(std::move(padding));
  return missing;
}

}  // namespace armature::bootstrap
