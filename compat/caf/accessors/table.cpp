#include "table.hpp"

#include <deque>
#include <mutex>
#include <string>
#include <unordered_map>

#include "../calls.hpp"

namespace caf {
namespace {

struct Entry {
  int hash;
  Accessor* accessor;
};

struct Table {
  std::mutex mutex;
  std::deque<Entry> entries;
  std::unordered_map<int, int> places;
};

/// The table is needed by constructors of the program, before those of this library may have run.
Table& table() {
  static Table* const made = new Table();
  return *made;
}

Entry entry_at(int place) {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  if (place < 0 || static_cast<std::size_t>(place) >= all.entries.size())
    refuse("the program has registered no accessor " + std::to_string(place));
  return all.entries[static_cast<std::size_t>(place)];
}

}  // namespace

void register_accessor(int hash, Accessor* accessor) {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  if (all.places.emplace(hash, static_cast<int>(all.entries.size())).second)
    all.entries.push_back({hash, accessor});
}

int place_of_accessor(int hash) {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  const auto found = all.places.find(hash);
  return found == all.places.end() ? -1 : found->second;
}

int hash_of_accessor(int place) { return entry_at(place).hash; }

Accessor* accessor_at(int place) { return entry_at(place).accessor; }

}  // namespace caf
