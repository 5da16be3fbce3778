#include "rmi/objects.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"

namespace armature::rmi {

Objects::Place& Objects::place(std::uint32_t index) {
  if (places_.size() <= index) {
    places_.resize(std::size_t{index} + 1);
    entries_.resize(places_.size());
  }
  return places_[index];
}

ObjectId Objects::add(void* object) {
  std::uint32_t index = next_own_;
  if (free_.empty()) {
    next_own_ += 2;
  } else {
    index = free_.back();
    free_.pop_back();
  }
  Place& there = place(index);
  there.object = object;
  return {index, there.generation};
}

void Objects::add_at(ObjectId id, void* object, Team team) {
  ARMATURE_ASSERT(id.index >= next_shared_ && id.index % 2 == 0);
  next_shared_ = id.index + 2;
  place(id.index) = {object, id.generation, id.generation};
  entries_[id.index] = {std::move(team), nullptr};
}

void Objects::remove(ObjectId id) {
  if (find(id) == nullptr) return;
  Place& there = places_[id.index];
  there.object = nullptr;
  entries_[id.index] = {};
  std::erase_if(names_, [&](const auto& named) { return named.second == id; });
  ++changes_;
  // A place whose generations are used up is left alone.
  if (++there.generation != there.first) free_.push_back(id.index);
}

void Objects::destroy(ObjectId id, bool beside) {
  void* object = find(id);
  if (object == nullptr)
    base::fail(Errc::object_gone, fmt::format("destroy: object {} is gone already", id.index));
  const auto how = entries_[id.index].destroy;
  if (how == nullptr)
    base::fail(Errc::misuse,
               fmt::format("destroy: object {} was not made by make_remote", id.index));
  remove(id);
  if (beside ? is_under_way(object) : waits(object))
    doomed_.push_back({object, how});
  else
    how(object);
}

bool Objects::waits(const void* object) const {
  if (has_users_ && has_users_(object)) return true;
  const Waits* one = waits_;
  while (one != nullptr && one->object_ != object) one = one->below_;
  return one != nullptr;
}

// A destructor may wait, and let in who destroys others: each leaves the list first. The method
// that began last may be waiting, with none on top of it.
void Objects::destroy_doomed() {
  for (;;) {
    const auto next = std::find_if(doomed_.begin(), doomed_.end(),
                                   [this](const Doomed& one) { return !is_under_way(one.object); });
    if (next == doomed_.end()) return;
    const Doomed one = *next;
    doomed_.erase(next);
    one.destroy(one.object);
  }
}

Objects::~Objects() {
  for (const Doomed& one : doomed_) one.destroy(one.object);
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (places_[i].object != nullptr && entries_[i].destroy != nullptr)
      entries_[i].destroy(places_[i].object);
}

void Objects::name(const std::string& name, ObjectId id) {
  if (!names_.emplace(name, id).second)
    base::fail(Errc::misuse, fmt::format("an object named \"{}\" is registered already", name));
}

std::optional<ObjectId> Objects::named(const std::string& name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace armature::rmi
