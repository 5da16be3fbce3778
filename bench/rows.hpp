#pragma once

#include <optional>
#include <string>

#include "bench/stage.hpp"

// The rows by kind, each kind in a file of its own. Every rank calls these, in the same order.

namespace armature::bench {

/// Compares the result of every kind of operation with what it must be; ends the job if one is
/// wrong.
void verify(const Stage& stage);

void contiguous_rows(Stage& stage);
void pingpong_row(Stage& stage);
void waiting_rows(Stage& stage);
void patch_rows(Stage& stage);
void gather_rows(Stage& stage);
void accumulate_rows(Stage& stage);
void atomic_rows(Stage& stage);
void lock_rows(Stage& stage);
/// Puts of two threads of a rank at once.
void thread_rows(Stage& stage);
/// Memory that is allocated, touched and freed: by all together, and by a rank alone.
void allocation_rows(Stage& stage);
void local_allocation_rows(World& world, const Settings& settings);
/// Rows for any number of ranks.
void collective_rows(Stage& stage);
/// Long data from one to all, all to one, all to all; names begin and end so. On any nodes.
void long_collective_rows(Stage& stage, const std::string& head, const std::string& tail);

/// Tagged messages.
void message_rows(Stage& stage);

/// Questions, statements and fences of remote calls. For any number of ranks.
void call_rows(Stage& stage);
/// Statements that travel together by fixed numbers.
void aggregation_rows(Stage& stage);
/// Methods that run beside each other; where methods have two threads.
void concurrent_rows(Stage& stage);
/// A remote call beside other ways of calling.
void invocation_rows(Stage& stage);
/// Many small accesses to everybody's tables, one-sided and by remote calls.
void histogram_rows(Stage& stage);
void index_gather_rows(Stage& stage);
void random_access_rows(Stage& stage);

/// Two virtual ranks of a process: changing from one to the other, and calls.
void yield_row(Stage& stage);
void virtual_call_rows(Stage& stage);
/// Virtual ranks that each have so many bytes: writing all of it below that folder, and going on
/// from there, which is told when `armature restart` has started them again.
void checkpoint_row(Stage& stage, const std::string& folder);
[[nodiscard]] std::optional<Row> restart_row(World& world, const Effort& effort,
                                             const std::string& folder);
/// Virtual ranks that each have so many bytes go back, since the last one's process was killed.
/// Rank 0 gets the row.
[[nodiscard]] std::optional<Row> recovery_row(World& world, const Effort& effort);

/// A step of many virtual ranks of which some have much more to do; limit: as much, evenly spread.
void hotspot_row(Stage& stage, const std::string& op);
/// Rows of the same steps on several nodes: the steps after each `rebalance`, and what that takes;
/// and of a rank that goes to the other node and back.
void balanced_hotspot_rows(World& world, const Settings& settings);
void migrate_between_nodes_rows(World& world, const Settings& settings);

/// A step of ranks with equally much to do, while another program uses a processor of theirs, too;
/// limit: if it all ended together. `op` says how they are balanced.
void foreign_load_row(World& world, const Settings& settings, const std::string& op);
/// Computes until the process that started this one ends: that other program.
[[noreturn]] void compute_for_ever();
/// Bytes between nodes of a stencil of puts where the strategy `communication` has moved ranks;
/// limit: those of the best partition, where a program of Scotch's is beside the command.
void stencil_row(World& world, const Settings& settings);
/// Elements that exchange loads two by two: what that reaches, and how many loads a member knows.
void exchange_rows(World& world, const Settings& settings);

/// Rows of one of several jobs that grow; `bytes_before` this process had before it joined.
void scale_rows(World& world, const Settings& settings, std::size_t bytes_before);

/// Copies, ghosts, products and factors of distributed arrays; what Global Arrays has, too; on two
/// nodes, transfers of sections.
void array_rows(World& world, const Settings& settings);
void array_call_rows(Stage& stage, const std::string& tail);
/// Task graphs: empty tasks, the patterns of Task Bench, and loop nests beside one rank.
void task_rows(World& world, const Settings& settings);
void empty_task_row(Stage& stage, const std::string& tail);
void task_pattern_rows(Stage& stage, const std::string& tail);
/// Steps of programs that compute by armature::compute, in time that is real or simulated.
void predicted_rows(World& world, const Settings& settings);
/// Rows of each collective call among all ranks, with private data of several lengths.
void every_collective(World& world, const Settings& settings);

/// Operations between two nodes. Two ranks.
void net_rows(World& world, const Settings& settings);
/// Operations where the target computes; where the caller does; where others do on the same cores.
void net_computing_rows(World& world, const Settings& settings);
void net_overlap_rows(World& world, const Settings& settings);
void net_crowded_rows(World& world, const Settings& settings);

/// The forms of gather: 1000 doubles, every third. Prepared once, called often.
class Gather {
 public:
  static constexpr std::size_t count = 1000;
  static constexpr std::size_t step = limits::gather_step;

  explicit Gather(const Stage& stage);
  /// Three ways: by a vector of addresses, as a subarray, and as requests of an aggregate handle.
  void by_vector() const;
  void by_subarray() const;
  void by_aggregate() const;

 private:
  double* to_;
  global_ptr<double> from_;
  std::vector<void*> to_addresses_;
  std::vector<const void*> from_addresses_;
};

/// An n x n patch of a matrix of doubles at the remote rank, to and from dense local memory.
struct SquarePatch {
  static constexpr std::size_t matrix_width = 1024;

  std::size_t n;
  [[nodiscard]] std::size_t bytes() const { return n * n * sizeof(double); }
  void put(global_ptr<double> to, const double* from) const;
  void get(double* to, global_ptr<double> from) const;
};

}  // namespace armature::bench
