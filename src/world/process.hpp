#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bootstrap/exchange.hpp"
#include "net/network.hpp"
#include "space/address_space.hpp"
#include "world/wired_job.hpp"

namespace armature {

/// This process's part in its job: what it has mapped, and the ranks that it hosts. Joined once and
/// kept until exit, since teams may outlive the job that they are of.
class Process {
 public:
  /// How many ranks this process hosts: what the launcher said, 1 without one. Throws Error(start)
  /// when what the launcher said makes no sense, or one is there that cannot be spoken with.
  static int hosted();
  /// Whether the launcher wants them simulated: no threads, one seed decides who runs when.
  static bool simulated();
  /// Whether they are fibers that the process runs in turn, and that may move to another one.
  static bool hosts_virtual_ranks();
  /// Whether it was started by our launcher, which then watches the job and arranges what only a
  /// launcher can.
  static bool is_launched();
  /// Tells who is where, in a job that another launcher has started; else nullptr.
  static const bootstrap::ProcessTable* process_table();
  /// How many values this process has read of those that others have published to be found.
  static std::uint64_t wire_up_reads();
  /// The job is to be the processes of the MPI communicator that this points to: see init_mpi.
  /// Before anything else is asked.
  static void use_mpi(const void* communicator);
  /// Says good-bye to the job's processes on other nodes, once none of the ranks here needs them.
  /// How the process ends is its own from now on.
  static void leave();
  /// Joins the job of the launcher, ours or another, or makes one of one rank.
  static Process& join();
  /// The network between nodes, if there are several: of virtual ranks, once they are there.
  void join_network(net::Network::Spaces spaces) const;
  /// Tells the launcher, where it is to hear nothing of deaths, that from now on the job can go on
  /// without this process. For virtual ranks, once they have their network.
  void tell_joined() const;
  /// Tells that it has connected to all others, and its ranks are about to begin: for virtual
  /// ranks, as above.
  void tell_connected() const;

  /// Collective over all processes of a job that another launcher has started: whether all have the
  /// same number, once. True in other jobs. Throws Error(start) when its nodes would go on from
  /// different checkpoints.
  [[nodiscard]] bool all_have(std::uint64_t number) const;
  /// Collective over all processes that go on from a checkpoint: where our launcher does not, the
  /// first of each node fills its memory. All may use theirs after it.
  void restore_memory() const;

  [[nodiscard]] const space::Mapping& mapping() const { return *mapping_; }
  /// The first rank that is hosted here.
  [[nodiscard]] int first_rank() const { return first_rank_; }
  /// The number of this process of virtual ranks.
  [[nodiscard]] int number() const { return number_; }
  /// The memory file of the segments, where all lie in one.
  [[nodiscard]] int segment_file() const { return segment_file_; }
  /// The memory of the ranks that are hosted here, in their order; not of virtual ranks.
  [[nodiscard]] const std::vector<std::unique_ptr<space::AddressSpace>>& spaces() const {
    return spaces_;
  }

 private:
  Process() = default;
  void join_launched();
  void join_wired();
  void join_alone();
  void tell_connecting() const;
  /// Makes the memory of a rank whose segment lies in that file.
  void make_space(int rank, int file);
  std::vector<int> map(const space::JobMemory& memory);
  void join_network(net::Network::Spaces spaces, bootstrap::Exchange& wire,
                    std::string device) const;

  const space::Mapping* mapping_ = nullptr;
  int first_rank_ = 0;
  int number_ = 0;
  int segment_file_ = -1;
  std::unique_ptr<WiredJob> wired_;
  std::vector<std::unique_ptr<space::AddressSpace>> spaces_;
};

}  // namespace armature
