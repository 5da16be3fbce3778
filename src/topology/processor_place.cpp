#include "topology/processor_place.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

namespace armature::topology {
namespace {

using std::filesystem::path;

/// Reads numbers as in "0-3,8". Empty where there is no such file.
std::vector<int> read_list(const path& file) {
  std::ifstream from(file);
  std::vector<int> numbers;
  for (int first = 0; from >> first;) {
    int last = first;
    if (from.peek() == '-') {
      from.ignore();
      from >> last;
    }
    for (int number = first; number <= last; ++number) numbers.push_back(number);
    if (from.peek() != ',') break;
    from.ignore();
  }
  return numbers;
}

/// The entries of a folder that are called so, with a number behind it.
std::vector<path> entries(const path& folder, std::string_view name) {
  std::error_code problem;
  std::vector<path> all;
  for (std::filesystem::directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    const std::string found = entry->path().filename().string();
    if (found.size() > name.size() && found.starts_with(name) &&
        std::all_of(found.begin() + static_cast<std::ptrdiff_t>(name.size()), found.end(),
                    [](unsigned char c) { return c >= '0' && c <= '9'; }))
      all.push_back(entry->path());
  }
  return all;
}

/// The hardware threads that share the last cache before memory.
std::vector<int> sharers_of_last_cache(const path& processor) {
  int last = 0;
  path cache;
  for (const path& one : entries(processor / "cache", "index"))
    if (const auto level = read_list(one / "level"); !level.empty() && level.front() > last) {
      last = level.front();
      cache = one;
    }
  return cache.empty() ? std::vector<int>() : read_list(cache / "shared_cpu_list");
}

std::vector<int> sharers_of_memory(const path& processor) {
  const auto memories = entries(processor, "node");
  return memories.empty() ? std::vector<int>() : read_list(memories.front() / "cpulist");
}

}  // namespace

ProcessorPlace place_of(const std::vector<int>& processors, const std::string& system) {
  if (processors.empty()) return {};
  const path one = path(system) / fmt::format("cpu{}", processors.front());
  const auto with_all = [&](std::vector<int> part) {
    std::ranges::sort(part);
    const bool has_all = std::ranges::all_of(
        processors, [&](int processor) { return std::ranges::binary_search(part, processor); });
    return has_all ? part.front() : -1;
  };
  return {.socket = with_all(read_list(one / "topology/core_siblings_list")),
          .numa = with_all(sharers_of_memory(one)),
          .cache = with_all(sharers_of_last_cache(one)),
          .core = with_all(read_list(one / "topology/thread_siblings_list"))};
}

}  // namespace armature::topology
