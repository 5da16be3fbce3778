// Who is on which node, as wire-up sees it, without the rest of a job: each process says where it
// is, and takes a file from the first process of its node.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <vector>

#include "armature/error.hpp"
#include "bootstrap/door.hpp"
#include "bootstrap/find_exchange.hpp"
#include "bootstrap/roster.hpp"

namespace {

using namespace armature::bootstrap;

/// A number that only processes of this node can have been given.
bool meet(const Roster& roster, const Door& door) {
  const auto neighbours = roster.processes_of(roster.self().node);
  const int first = neighbours.front(), mine = 1000 + first;
  int read = 0;
  if (roster.me == first) {
    const armature::base::FileDescriptor file(memfd_create("grouping", 0));
    if (write(file.get(), &mine, sizeof mine) != sizeof mine) return false;
    door.give({file.get()}, static_cast<int>(neighbours.size()) - 1, roster.secret);
    read = mine;
  } else {
    const auto files =
        take_files(roster.members[static_cast<std::size_t>(first)].door, roster.secret);
    if (files.size() != 1 || pread(files[0].get(), &read, sizeof read, 0) != sizeof read)
      return false;
  }
  return read == mine;
}

int run() {
  const std::unique_ptr<Exchange> exchange = find_exchange();
  if (exchange == nullptr) {
    std::puts("no launcher was found");
    return 1;
  }
  const Door door;
  const Roster roster = call_roster(*exchange, {}, door.name());
  std::printf("process %d: node %d, index %d, on %s\n", roster.me, roster.self().node,
              roster.self().index, roster.self().host.c_str());
  const bool met = meet(roster, door);
  std::printf("process %d %s the others of its node; all: %s\n", roster.me,
              met ? "met" : "did not meet", roster.places().c_str());
  exchange->fence();
  return met ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const armature::Error& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
