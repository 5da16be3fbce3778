// Two-sided messages, barriers, broadcasts, the binary tree.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <armature/collectives.hpp>
#include <armature/error.hpp>
#include <armature/message.hpp>
#include <armature/world.hpp>

#include "armci.h"
#include "calls.hpp"
#include "groups.hpp"
#include "job.hpp"
#include "message.h"
#include "turn.hpp"

using namespace armci;
using armature::Rank;
using armature::Team;

namespace {

std::span<std::byte> bytes_at(void* buffer, int length) {
  if (length < 0 || (buffer == nullptr && length > 0))
    throw armature::Error(armature::Errc::bad_argument, "no buffer, or a negative length");
  return {static_cast<std::byte*>(buffer), static_cast<std::size_t>(length)};
}

int receive(int tag, void* buffer, int length, int* received, Rank from) {
  joined();
  const armature::Received message = armature::receive(from, tag, bytes_at(buffer, length));
  if (received != nullptr) *received = static_cast<int>(message.bytes);
  return message.from;
}

/// Nothing happens at a caller that is not of the scope.
void broadcast(Group& group, int scope, void* buffer, int length, int root) {
  const std::span<std::byte> data = bytes_at(buffer, length);
  const Team* team = scope_of(group, scope);
  if (team == nullptr) return;
  const int member = team->member(Rank(root));
  if (member < 0)
    throw armature::Error(armature::Errc::bad_rank,
                          "the root, " + std::to_string(root) + ", does not take part");
  armature::broadcast(*team, data, member);
}

void exchange(const Team& team, void** addresses, int n) {
  if (addresses == nullptr || n != team.size())
    throw armature::Error(armature::Errc::bad_argument,
                          "as many addresses as processes are needed");
  const auto mine = reinterpret_cast<std::uintptr_t>(addresses[team.rank()]);
  const std::vector<std::uintptr_t> all = allgather(team, mine);
  for (std::size_t i = 0; i < all.size(); ++i) addresses[i] = reinterpret_cast<void*>(all[i]);
}

}  // namespace

extern "C" {

void armci_msg_snd(int tag, void* buffer, int len, int to) {
  insisted(__func__, [=] {
    joined();
    armature::send(Rank(to), tag, bytes_at(buffer, len));
  });
}

void armci_msg_rcv(int tag, void* buffer, int buflen, int* msglen, int from) {
  insisted(__func__, [=] {
    if (from < 0 || from >= processes())
      throw armature::Error(armature::Errc::bad_rank, "no process " + std::to_string(from));
    receive(tag, buffer, buflen, msglen, Rank(from));
  });
}

int armci_msg_rcvany(int tag, void* buffer, int buflen, int* msglen) {
  return insisted(__func__, [=] { return receive(tag, buffer, buflen, msglen, Rank::none()); });
}

void parmci_msg_barrier(void) {
  insisted(__func__, in_turn([] { joined().barrier(); }));
}

void parmci_msg_group_barrier(ARMCI_Group* group) {
  insisted(__func__, in_turn([=] { team_of(group).barrier(); }));
}

decltype(parmci_msg_barrier) armci_msg_barrier __attribute__((weak, alias("parmci_msg_barrier")));
decltype(parmci_msg_group_barrier) armci_msg_group_barrier
    __attribute__((weak, alias("parmci_msg_group_barrier")));

void armci_msg_bcast(void* buffer, int len, int root) {
  insisted(__func__, in_turn([=] { broadcast(*world_group(), SCOPE_ALL, buffer, len, root); }));
}

void armci_msg_brdcst(void* buffer, int len, int root) { armci_msg_bcast(buffer, len, root); }

void armci_msg_bcast_scope(int scope, void* buffer, int len, int root) {
  insisted(__func__, in_turn([=] { broadcast(*world_group(), scope, buffer, len, root); }));
}

void armci_msg_group_bcast_scope(int scope, void* buffer, int len, int root, ARMCI_Group* group) {
  insisted(__func__, in_turn([=] {
             const auto found = find_group(group);
             if (found) broadcast(*found, scope, buffer, len, root);
           }));
}

void armci_msg_clus_brdcst(void* buffer, int len) {
  insisted(__func__, in_turn([=] {
             const auto world = world_group();
             const int root = members_of(*world, SCOPE_NODE).front();
             broadcast(*world, SCOPE_NODE, buffer, len, root);
           }));
}

void armci_msg_bintree(int scope, int* root, int* up, int* left, int* right) {
  insisted(__func__, [=] {
    if (root == nullptr || up == nullptr || left == nullptr || right == nullptr)
      throw armature::Error(armature::Errc::bad_argument, "four places to write to are needed");
    *root = *up = *left = *right = -1;
    const std::vector<Rank> members = members_of(*world_group(), scope);
    const auto found = std::ranges::find(members, Rank(my_process()));
    if (found == members.end()) return;
    const auto process = [&members](std::size_t member) {
      return member < members.size() ? int{members[member]} : -1;
    };
    const auto me = static_cast<std::size_t>(found - members.begin());
    *root = process(0);
    *up = me == 0 ? -1 : process((me - 1) / 2);
    *left = process(2 * me + 1);
    *right = process(2 * me + 2);
  });
}

void armci_exchange_address(void* addresses[], int n) {
  insisted(__func__, in_turn([=] { exchange(joined(), addresses, n); }));
}

void armci_exchange_address_grp(void* addresses[], int n, ARMCI_Group* group) {
  insisted(__func__, in_turn([=] { exchange(team_of(group), addresses, n); }));
}

}  // extern "C"
