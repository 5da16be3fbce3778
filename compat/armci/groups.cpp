#include "groups.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <armature/error.hpp>
#include <armature/locality.hpp>

#include "armcix.h"
#include "calls.hpp"
#include "communicators.hpp"
#include "job.hpp"
#include "of_rank.hpp"
#include "turn.hpp"

namespace armci {

namespace {

using Key = std::uintptr_t;

constexpr Key tag = Key{0x41524d43} << 32;  // so that what is no group is not mistaken for one
constexpr Key world_key = tag | 1;
constexpr Key outside_key = tag | 2;
constexpr std::size_t written_bytes = offsetof(ARMCI_Group, armci_key) + sizeof(void*);
static_assert(written_bytes <= 32, "the smallest flavour of ARMCI_Group has 32 bytes");

struct Groups {
  std::mutex lock;
  std::unordered_map<Key, std::shared_ptr<Group>> members;
  Key next = outside_key + 1;
  std::atomic<Key> fallback = world_key;  // the default group
};

OfRank<Groups> groups;

/// Writes no byte that the smallest flavour does not have.
void write_key(ARMCI_Group* group, Key key, std::uintptr_t communicator) {
  ARMCI_Group made{};
  made.armci_reserved[0] = reinterpret_cast<void*>(communicator);
  made.armci_key = reinterpret_cast<void*>(key);
  std::memcpy(static_cast<void*>(group), &made, written_bytes);
}

Key key_of(const ARMCI_Group* group) {
  if (group == nullptr) throw armature::Error(armature::Errc::misuse, "no group given");
  return reinterpret_cast<Key>(group->armci_key);
}

std::shared_ptr<Group> find_key(Key key) {
  if (key == world_key) return world_group();
  if (key == outside_key) return nullptr;
  const std::lock_guard held(groups->lock);
  const auto found = groups->members.find(key);
  if (found == groups->members.end())
    throw armature::Error(armature::Errc::misuse, "not a group, or one that was freed");
  return found->second;
}

/// A group that exists, to a struct of the caller's.
void write_existing(ARMCI_Group* group, Key key) {
  const auto found = find_key(key);
  write_key(group, key, found ? found->communicator : no_communicator());
}

void create(int size, const int* ids, ARMCI_Group* created, const armature::Team& parent) {
  if (created == nullptr || ids == nullptr || size < 0)
    throw armature::Error(armature::Errc::bad_argument,
                          "no group, no list of ids, or a negative size");
  std::vector<armature::Rank> ranks;
  for (const int id : std::span(ids, static_cast<std::size_t>(size)))
    ranks.push_back(parent.world_rank(id));
  const bool member = std::ranges::find(ranks, armature::Rank(my_process())) != ranks.end();
  make_group(created, member ? armature::Team::create(ranks) : armature::Team());
}

/// Null unless the caller is one of them.
const armature::Team* team_with(Group& group, const std::vector<armature::Rank>& members) {
  if (std::ranges::find(members, armature::Rank(my_process())) == members.end()) return nullptr;
  if (members.size() == static_cast<std::size_t>(group.all.size())) return &group.all;
  armature::Team& team = group.scopes[members];
  if (!team) team = armature::Team::create(members);
  return &team;
}

}  // namespace

void make_group(ARMCI_Group* created, armature::Team team) {
  if (!team) return write_key(created, outside_key, no_communicator());
  auto group = std::make_shared<Group>();
  group->all = std::move(team);
  group->communicator = make_communicator(group->all);
  const std::lock_guard held(groups->lock);
  write_key(created, groups->next, group->communicator);
  groups->members.emplace(groups->next++, std::move(group));
}

std::shared_ptr<Group> find_group(const ARMCI_Group* group) { return find_key(key_of(group)); }

armature::Team team_of(const ARMCI_Group* group) {
  const auto found = find_group(group);
  if (!found) throw armature::Error(armature::Errc::misuse, "the caller is not in this group");
  return found->all;
}

std::shared_ptr<Group> world_group() {
  armature::World& world = joined();
  const std::lock_guard held(groups->lock);
  auto& entry = groups->members[world_key];
  if (!entry) {
    entry = std::make_shared<Group>();
    entry->all = world;
    entry->communicator = world_communicator();
  }
  return entry;
}

void forget_groups() {
  const std::lock_guard held(groups->lock);
  for (const auto& [key, group] : groups->members) release_communicator(group->communicator);
  groups->members.clear();
  groups->fallback = world_key;
}

std::vector<armature::Rank> members_of(const Group& group, int scope) {
  if (scope != SCOPE_ALL && scope != SCOPE_NODE && scope != SCOPE_MASTERS)
    throw armature::Error(armature::Errc::bad_argument, "no scope " + std::to_string(scope));
  const armature::NodeId my_node = armature::node_of(armature::Rank(my_process()));
  std::vector<bool> has_master;  // by node
  std::vector<armature::Rank> members;
  for (int member = 0; member < group.all.size(); ++member) {
    const armature::Rank rank = group.all.world_rank(member);
    const armature::NodeId node = armature::node_of(rank);
    if (scope == SCOPE_NODE && node != my_node) continue;
    if (scope == SCOPE_MASTERS) {
      const auto number = static_cast<std::size_t>(node.number());
      if (number >= has_master.size()) has_master.resize(number + 1);
      if (has_master[number]) continue;
      has_master[number] = true;
    }
    members.push_back(rank);
  }
  return members;
}

const armature::Team* scope_of(Group& group, int scope) {
  if (scope == SCOPE_ALL) return &group.all;
  if (is_of_rank) return team_with(group, members_of(group, scope));
  if (const auto found = group.known.find(scope); found != group.known.end()) return found->second;
  return group.known[scope] = team_with(group, members_of(group, scope));
}

}  // namespace armci

using namespace armci;

extern "C" {

void ARMCI_Group_create(int size, int* ids, ARMCI_Group* created) {
  insisted(__func__, in_turn([=] {
             const auto parent = find_key(groups->fallback);
             if (!parent)
               throw armature::Error(armature::Errc::misuse,
                                     "the caller is not in the default group");
             create(size, ids, created, parent->all);
           }));
}

void ARMCI_Group_create_child(int size, int* ids, ARMCI_Group* created, ARMCI_Group* parent) {
  insisted(__func__, in_turn([=] { create(size, ids, created, team_of(parent)); }));
}

int ARMCIX_Group_split(ARMCI_Group* parent, int color, int key, ARMCI_Group* created) {
  if (created == nullptr) return explain(__func__, null_pointer, "nowhere to write the group to");
  return answered(__func__, in_turn([=]() -> int {
                    return make_group(created, team_of(parent).split(color, key)), ok;
                  }));
}

int ARMCIX_Group_dup(ARMCI_Group* parent, ARMCI_Group* created) {
  if (created == nullptr) return explain(__func__, null_pointer, "nowhere to write the group to");
  return answered(__func__, in_turn([=]() -> int {
                    return make_group(created, team_of(parent).duplicate()), ok;
                  }));
}

void ARMCI_Group_free(ARMCI_Group* group) {
  insisted(__func__, in_turn([=] {
             const Key key = key_of(group);
             if (key == world_key) return;
             const auto freed = find_key(key);
             if (freed) release_communicator(freed->communicator);
             const std::lock_guard held(groups->lock);
             groups->members.erase(key);
             if (groups->fallback == key) groups->fallback = world_key;
             write_key(group, outside_key, no_communicator());
           }));
}

int ARMCI_Group_rank(ARMCI_Group* group, int* rank) {
  if (rank == nullptr) return explain(__func__, null_pointer, "nowhere to write the rank to");
  return answered(__func__, [=]() -> int {
    const auto found = find_group(group);
    *rank = found ? found->all.rank() : -1;
    return found ? ok : failed;
  });
}

void ARMCI_Group_size(ARMCI_Group* group, int* size) {
  insisted(__func__, [=] {
    if (size == nullptr)
      throw armature::Error(armature::Errc::misuse, "nowhere to write the size to");
    const auto found = find_group(group);
    *size = found ? found->all.size() : 0;
  });
}

void ARMCI_Group_set_default(ARMCI_Group* group) {
  insisted(__func__, [=] {
    find_group(group);
    groups->fallback = key_of(group);
  });
}

void ARMCI_Group_get_default(ARMCI_Group* group) {
  insisted(__func__, [=] {
    if (group != nullptr) write_existing(group, groups->fallback);
  });
}

void ARMCI_Group_get_world(ARMCI_Group* group) {
  insisted(__func__, [=] {
    if (group != nullptr) write_existing(group, world_key);
  });
}

int ARMCI_Absolute_id(ARMCI_Group* group, int rank) {
  return answered(__func__, [=]() -> int {
    const auto found = find_group(group);
    return found && rank >= 0 && rank < found->all.size() ? int{found->all.world_rank(rank)} : -1;
  });
}

}  // extern "C"
