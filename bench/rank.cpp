#include "bench/rank.hpp"

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include <armature/armature.hpp>

#include "bench/job.hpp"
#include "bench/resident.hpp"
#include "bench/row.hpp"
#include "bench/rows.hpp"
#include "bench/sample.hpp"
#include "bench/stage.hpp"

namespace armature::bench {

namespace {

/// Appends rows to the pipe that the command reads. Opened for each: the rank may have moved to a
/// process that has no such descriptor.
class Report {
 public:
  explicit Report(std::string path) : path_(std::move(path)) {}
  void operator()(const Row& row) const {
    const std::string line = to_json(row).dump() + "\n";
    const std::unique_ptr<std::FILE, Close> file(std::fopen(path_.c_str(), "we"));
    if (!file || std::fwrite(line.data(), 1, line.size(), file.get()) != line.size() ||
        std::fflush(file.get()) != 0)
      throw std::runtime_error("cannot write rows to " + path_);
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { (void)std::fclose(file); }
  };

  std::string path_;
};

Effort effort_of(const RankOptions& options) { return options.quick ? Effort::quick() : Effort{}; }

std::function<void(const Row&)> report_of(const RankOptions& options, const World& world) {
  if (world.rank() == 0) return Report(options.to);
  return [](const Row&) {};
}

void rma(const RankOptions& options, World& world) {
  Stage stage(world, {.only = options.only,
                      .effort = options.quick ? Effort::quick() : Effort{},
                      .report = report_of(options, world),
                      .memory = world.size() == 2});
  if (world.size() == 2) {
    verify(stage);
    contiguous_rows(stage);
    pingpong_row(stage);
    waiting_rows(stage);
    patch_rows(stage);
    gather_rows(stage);
    accumulate_rows(stage);
    atomic_rows(stage);
    lock_rows(stage);
    thread_rows(stage);
    allocation_rows(stage);
  }
  collective_rows(stage);
}

/// Remote calls: between two ranks everything, between threads and among more ranks what differs
/// there.
void rmi(const RankOptions& options, World& world) {
  Stage stage(world, {.only = options.only,
                      .effort = options.quick ? Effort::quick() : Effort{},
                      .report = report_of(options, world),
                      .memory = false});
  call_rows(stage);
  if (world.size() != 2 || same_process(0, 1)) return;
  aggregation_rows(stage);
  invocation_rows(stage);
  histogram_rows(stage);
  index_gather_rows(stage);
  random_access_rows(stage);
}

/// Remote calls of ranks whose methods have several threads.
void concurrent(const RankOptions& options, World& world) {
  Stage stage(world, {.only = options.only,
                      .effort = effort_of(options),
                      .report = report_of(options, world),
                      .memory = false});
  concurrent_rows(stage);
}

void messages(const RankOptions& options, World& world) {
  Stage stage(
      world,
      {.only = options.only, .effort = effort_of(options), .report = report_of(options, world)});
  message_rows(stage);
}

/// Ranks that are fibers of one process.
void virtual_ranks(const RankOptions& options, World& world) {
  Stage stage(world, {.only = options.only,
                      .effort = options.quick ? Effort::quick() : Effort{},
                      .report = report_of(options, world),
                      .memory = false});
  yield_row(stage);
  virtual_call_rows(stage);
}

void hotspot(const RankOptions& options, World& world, const std::string& op) {
  Stage stage(world, {.only = options.only,
                      .effort = effort_of(options),
                      .report = report_of(options, world),
                      .memory = false});
  hotspot_row(stage, op);
}

/// Virtual ranks that go to other nodes.
void changing_nodes(const RankOptions& options, World& world) {
  const Settings settings{.only = options.only,
                          .effort = effort_of(options),
                          .report = report_of(options, world),
                          .memory = false};
  world.size() == 2 ? migrate_between_nodes_rows(world, settings)
                    : balanced_hotspot_rows(world, settings);
}

/// Measures checkpoints. In the end the job is written once more; the command starts it again from
/// there.
void checkpoints(const RankOptions& options, World& world) {
  {
    Stage stage(world, {.only = options.only,
                        .effort = effort_of(options),
                        .report = report_of(options, world),
                        .memory = false});
    checkpoint_row(stage, options.folder);
  }
  const std::optional<Row> row = restart_row(world, effort_of(options), options.folder);
  if (!row || world.rank() != 0) return;
  const char* const to = std::getenv(rows_variable);  // of the new command
  if (to != nullptr) Report{std::string(to)}(*row);
}

void balance_ranks(const RankOptions& options, World& world) {
  const Settings settings{.only = options.only,
                          .effort = effort_of(options),
                          .report = report_of(options, world),
                          .memory = false};
  if (options.task == "stencil")
    stencil_row(world, settings);
  else if (options.task == "exchange")
    exchange_rows(world, settings);
  else
    foreign_load_row(world, settings, options.task);
}

void recovery(const RankOptions& options, World& world) {
  if (const auto row = recovery_row(world, effort_of(options))) Report(options.to)(*row);
}

/// Measures what joining the job adds to a rank, on average, and how long it takes.
void rss(const RankOptions& options) {
  const std::size_t bytes_before = resident_bytes();
  const double start = now_ns();
  World& world = init();
  const double ns = now_ns() - start;
  world.barrier();
  const std::size_t bytes_after = resident_bytes();
  world.barrier();
  const auto ranks = static_cast<std::size_t>(world.size());
  const std::size_t grown = bytes_after > bytes_before ? bytes_after - bytes_before : 0;
  const std::size_t bytes = allreduce(world, grown) / ranks;
  const double mean_ns = allreduce(world, ns) / static_cast<double>(ranks);
  report_of(options, world)({.op = ranks == 2 ? "rss" : "rss." + std::to_string(ranks),
                             .bytes = bytes,
                             .ns = mean_ns,
                             .limit_ns = {}});
  finalize();
}

/// Measures what a virtual rank takes to be there: time, and bytes of its process.
void create(const RankOptions& options) {
  const std::size_t bytes_before = resident_bytes();
  const double start = now_ns();
  run(0, nullptr, [&](World& world) {
    world.barrier();
    const double ns = now_ns() - start;
    const auto ranks = static_cast<std::size_t>(world.size());
    if (world.rank() == 0)
      report_of(options, world)({.op = "create." + std::to_string(ranks),
                                 .bytes = (resident_bytes() - bytes_before) / ranks,
                                 .ns = ns,
                                 .limit_ns = {}});
    world.barrier();
  });
}

/// Measures a job of this size, as one of several that grow.
void scale(const RankOptions& options) {
  const std::size_t bytes_before = resident_bytes();
  run(0, nullptr, [&](World& world) {
    scale_rows(world,
               {.only = options.only,
                .effort = effort_of(options),
                .report = report_of(options, world),
                .memory = false},
               bytes_before);
  });
}

}  // namespace

int rank_main(const RankOptions& options) {
  if (options.task == "nothing") return 0;
  if (options.task == "busy") compute_for_ever();
  if (options.task == "rss") {
    rss(options);
    return 0;
  }
  if (options.task == "create") {
    create(options);
    return 0;
  }
  if (options.task == "scale") {
    scale(options);
    return 0;
  }
  return run(0, nullptr, [&](World& world) {
    if (options.task == "rma") rma(options, world);
    if (options.task == "rmi") rmi(options, world);
    if (options.task == "concurrent") concurrent(options, world);
    if (options.task == "messages") messages(options, world);
    if (options.task == "local")
      local_allocation_rows(world, {.only = options.only,
                                    .effort = effort_of(options),
                                    .report = report_of(options, world),
                                    .memory = false});
    if (options.task == "collectives")
      every_collective(world, {.only = options.only,
                               .effort = effort_of(options),
                               .report = report_of(options, world),
                               .memory = false});
    if (options.task == "arrays")
      array_rows(world, {.only = options.only,
                         .effort = effort_of(options),
                         .report = report_of(options, world),
                         .memory = false});
    if (options.task == "tasks")
      task_rows(world, {.only = options.only,
                        .effort = effort_of(options),
                        .report = report_of(options, world),
                        .memory = false});
    if (options.task == "predicted")
      predicted_rows(world, {.only = options.only,
                             .effort = effort_of(options),
                             .report = report_of(options, world),
                             .memory = false});
    if (options.task == "virtual") virtual_ranks(options, world);
    if (options.task == "nodes") changing_nodes(options, world);
    if (options.task.starts_with("hotspot")) hotspot(options, world, options.task);
    if (options.task == "checkpoint") checkpoints(options, world);
    if (options.task == "recovery") recovery(options, world);
    if (options.task.starts_with("foreign") || options.task == "stencil" ||
        options.task == "exchange")
      balance_ranks(options, world);
    if (options.task == "net")
      net_rows(world, {.only = options.only,
                       .effort = options.quick ? Effort::quick() : Effort{},
                       .report = report_of(options, world),
                       .memory = false});
  });
}

}  // namespace armature::bench
