// Prints who is on which node, as wire-up sees it, without the rest of a job. Each process says
// where it is, and takes a file from the first process of its node.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <vector>

#include "armature/error.hpp"
#include "bootstrap/descriptor_socket.hpp"
#include "bootstrap/find_exchange.hpp"
#include "bootstrap/process_table.hpp"

namespace {

using namespace armature::bootstrap;

/// A number that only processes of this node can have been given.
bool meet(const ProcessTable& process_table, const DescriptorSocket& socket) {
  const auto neighbours = process_table.processes_of(process_table.self().node);
  const int first = neighbours.front(), mine = 1000 + first;
  int read = 0;
  if (process_table.me == first) {
    const armature::base::FileDescriptor file(memfd_create("grouping", 0));
    if (write(file.get(), &mine, sizeof mine) != sizeof mine) return false;
    socket.give({file.get()}, static_cast<int>(neighbours.size()) - 1, process_table.secret);
    read = mine;
  } else {
    const auto files = take_files(process_table.members[static_cast<std::size_t>(first)].socket,
                                  process_table.secret);
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
  const DescriptorSocket socket;
  const ProcessTable process_table = make_process_table(*exchange, {}, socket.name());
  std::printf("process %d: node %d, index %d, on %s\n", process_table.me, process_table.self().node,
              process_table.self().index, process_table.self().host.c_str());
  const bool met = meet(process_table, socket);
  std::printf("process %d %s the others of its node; all: %s\n", process_table.me,
              met ? "met" : "did not meet", process_table.places().c_str());
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
