#include "rmi/objects.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"

namespace armature::rmi {

ObjectId Objects::add(void* object) {
  std::uint32_t index = 0;
  if (free_.empty()) {
    index = static_cast<std::uint32_t>(places_.size());
    places_.emplace_back();
    entries_.emplace_back();
  } else {
    index = free_.back();
    free_.pop_back();
  }
  places_[index].object = object;
  return {index, places_[index].generation};
}

bool Objects::add_at(ObjectId id, void* object, Team team) {
  if (id.index < places_.size()) return false;
  while (places_.size() <= id.index) {
    // The places that are jumped over are this rank's to use.
    if (places_.size() < id.index) free_.push_back(static_cast<std::uint32_t>(places_.size()));
    places_.emplace_back();
    entries_.emplace_back();
  }
  places_[id.index] = {object, id.generation};
  entries_[id.index] = {std::move(team), nullptr};
  return true;
}

void Objects::remove(ObjectId id) {
  if (find(id) == nullptr) return;
  Place& place = places_[id.index];
  place.object = nullptr;
  entries_[id.index] = {};
  std::erase_if(names_, [&](const auto& named) { return named.second == id; });
  // A place whose generations are used up is left alone.
  if (++place.generation != 0) free_.push_back(id.index);
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
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (places_[i].object != nullptr && entries_[i].destroy != nullptr)
      entries_[i].destroy(places_[i].object);
}

std::uint32_t Objects::next_unused() const { return static_cast<std::uint32_t>(places_.size()); }

void Objects::name(const std::string& name, ObjectId id) {
  if (!names_.emplace(name, id).second)
    base::fail(Errc::misuse, fmt::format("an object named \"{}\" is registered already", name));
}

std::optional<ObjectId> Objects::named(const std::string& name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace armature::rmi
