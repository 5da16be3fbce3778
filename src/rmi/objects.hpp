#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "armature/object_id.hpp"
#include "armature/team.hpp"

namespace armature::rmi {

/// The objects of one rank that others may call. A place that was freed is used again under another
/// generation, so that a reference to what was there before is told from one to what is there now.
/// A shared object has the same place on all its ranks, of even number. Those of one rank begin at
/// odd ones, so that none takes a place that others are just agreeing on.
class Objects {
 public:
  Objects() = default;
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;
  ~Objects();

  struct Entry {
    Team team;                         // of a shared object: who has representatives
    void (*destroy)(void*) = nullptr;  // of an object that this table owns
  };

  /// nullptr when it is gone, or never was.
  [[nodiscard]] void* find(ObjectId id) const {
    if (id.index >= places_.size()) return nullptr;
    const Place& place = places_[id.index];
    return place.generation == id.generation ? place.object : nullptr;
  }
  /// Grows when an object has gone: until then, what find() gave is good.
  [[nodiscard]] std::uint32_t changes() const { return changes_; }
  /// Stays where it is until that object goes, whatever others come and go.
  [[nodiscard]] const Entry* entry(ObjectId id) const {
    return find(id) == nullptr ? nullptr : &entries_[id.index];
  }

  ObjectId add(void* object);
  /// A shared object: at a place and generation that others have too.
  void add_at(ObjectId id, void* object, Team team);
  void remove(ObjectId id);
  /// The object is this table's from now on.
  void own(ObjectId id, void (*how)(void*)) { entries_[id.index].destroy = how; }
  /// Removes and destroys; the latter once no method of it is under way. Throws
  /// Error(object_gone), or Error(misuse) when the table does not own it. `beside`: by another
  /// thread than that whose method began last.
  void destroy(ObjectId id, bool beside = false);
  /// Whether a method of the object is under way, wherever.
  [[nodiscard]] bool is_under_way(const void* object) const {
    return object == running_ || waits(object);
  }
  /// A method of it begins; nullptr for a function.
  void runs(const void* object) { running_ = object; }
  /// The method that began last is over: objects that were to be destroyed are, unless one of
  /// theirs waits below.
  void method_is_over() {
    running_ = nullptr;
    if (!doomed_.empty()) [[unlikely]]
      destroy_doomed();
  }
  /// The method that began last waits as long as this is there: others run on top of it.
  class Waits {
   public:
    explicit Waits(Objects& all) : all_(all), object_(all.running_), below_(all.waits_) {
      all.waits_ = this;
    }
    Waits(const Waits&) = delete;
    Waits& operator=(const Waits&) = delete;
    ~Waits() {
      all_.waits_ = below_;
      all_.running_ = object_;
    }

   private:
    friend class Objects;
    Objects& all_;
    const void* const object_;
    const Waits* const below_;
  };
  /// Whether a method of an object is under way elsewhere than on the rank's stack, asks this.
  void note_users(std::function<bool(const void*)> are_there) { has_users_ = std::move(are_there); }
  /// A method that was under way elsewhere is over: objects that waited for it may be destroyed.
  void users_have_changed() {
    if (!doomed_.empty()) destroy_doomed();
  }
  /// The first place for a shared object that was never used here.
  [[nodiscard]] std::uint32_t next_shared() const { return next_shared_; }

  /// Objects that are called by name: the name's owner must be unique on this rank.
  void name(const std::string& name, ObjectId id);
  [[nodiscard]] std::optional<ObjectId> named(const std::string& name) const;

 private:
  /// Looked at by every call; the rest is kept apart.
  struct Place {
    void* object = nullptr;
    std::uint16_t generation = 0;
    std::uint16_t first = 0;  // generation
  };
  struct Doomed {
    void* object;
    void (*destroy)(void*);
  };
  Place& place(std::uint32_t index);
  [[nodiscard]] bool waits(const void* object) const;
  void destroy_doomed();

  std::vector<Place> places_;
  std::deque<Entry> entries_;  // whose elements stay when it grows
  std::uint32_t changes_ = 0;
  std::uint32_t next_shared_ = 0;
  std::uint32_t next_own_ = 1;
  std::vector<std::uint32_t> free_;
  std::unordered_map<std::string, ObjectId> names_;
  const void* running_ = nullptr;  // whose method is on top
  const Waits* waits_ = nullptr;
  std::vector<Doomed> doomed_;
  std::function<bool(const void*)> has_users_;
};

}  // namespace armature::rmi
