#include "rmi/objects.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"

namespace armature::rmi {

ObjectId Objects::add(void* object) {
  std::uint32_t index = 0;
  if (free_.empty()) {
    index = static_cast<std::uint32_t>(entries_.size());
    entries_.emplace_back();
  } else {
    index = free_.back();
    free_.pop_back();
  }
  Entry& entry = entries_[index];
  entry.object = object;
  return {index, entry.generation};
}

void Objects::add_at(ObjectId id, void* object, Team team) {
  while (entries_.size() <= id.index) {
    // The places that are jumped over are this rank's to use.
    if (entries_.size() < id.index) free_.push_back(static_cast<std::uint32_t>(entries_.size()));
    entries_.emplace_back();
  }
  ARMATURE_ASSERT(entries_[id.index].object == nullptr);
  entries_[id.index] = {object, id.generation, std::move(team), nullptr};
}

void Objects::remove(ObjectId id) {
  if (find(id) == nullptr) return;
  Entry& entry = entries_[id.index];
  entry.object = nullptr;
  entry.team = {};
  entry.destroy = nullptr;
  std::erase_if(names_, [&](const auto& named) { return named.second == id; });
  // A place whose generations are used up is left alone.
  if (++entry.generation != 0) free_.push_back(id.index);
}

void Objects::destroy(ObjectId id) {
  void* object = find(id);
  if (object == nullptr)
    base::fail(Errc::object_gone, fmt::format("destroy: object {} is gone already", id.index));
  const auto how = entries_[id.index].destroy;
  if (how == nullptr)
    base::fail(Errc::misuse,
               fmt::format("destroy: object {} was not made by make_remote", id.index));
  remove(id);
  how(object);
}

Objects::~Objects() {
  for (const Entry& entry : entries_)
    if (entry.object != nullptr && entry.destroy != nullptr) entry.destroy(entry.object);
}

ObjectId Objects::next_unused() const { return {static_cast<std::uint32_t>(entries_.size()), 0}; }

void Objects::name(const std::string& name, ObjectId id) {
  if (!names_.emplace(name, id).second)
    base::fail(Errc::misuse, fmt::format("an object named \"{}\" is registered already", name));
}

std::optional<ObjectId> Objects::named(const std::string& name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace armature::rmi
