#include "bench/native.hpp"

#include <dlfcn.h>

#include <filesystem>

namespace armature::bench {

namespace {

constexpr const char* module_name = "libarmature-bench-ucx.so";

/// Loads it from beside the libraries, wherever the command was put.
void* load_module(std::string& problem) {
  std::error_code ignored;
  const auto folder = std::filesystem::canonical("/proc/self/exe", ignored).parent_path();
  problem = "no " + std::string(module_name);
  for (const char* up : {"../lib", "../lib/x86_64-linux-gnu", "../lib64", "."}) {
    const auto file = folder / up / module_name;
    if (!std::filesystem::exists(file, ignored)) continue;
    if (void* module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return module;
    problem = dlerror();
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<Native> open_native(std::span<std::byte> memory, std::string& problem) {
  void* const module = load_module(problem);
  if (module == nullptr) return nullptr;
  const auto open = reinterpret_cast<OpenNative>(dlsym(module, "armature_open_native"));
  if (open == nullptr) {
    problem = std::string(module_name) + " is of another version of Armature";
    return nullptr;
  }
  char text[256] = "";
  std::unique_ptr<Native> native(open(memory, text, sizeof text));
  if (native == nullptr) problem = text;
  return native;
}

}  // namespace armature::bench
