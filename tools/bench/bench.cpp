#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "bench/job.hpp"
#include "bench/peers.hpp"
#include "bench/rank.hpp"
#include "bench/row.hpp"
#include "bench/sample.hpp"
#include "bench/table.hpp"
#include "commands.hpp"

// `armature bench rma`: every one-sided operation beside what the machine allows. The measuring is
// done by jobs of this same program (see job.hpp); here they are started, one after the other, and
// their rows become a table and a JSON file.

namespace armature::tools {

namespace {

using bench::Row;

struct RmaOptions {
  std::string json_path;
  std::string peers_path;
  std::vector<std::string> only;
  int repeat = 1;
  bool quick = false;
};

/// How far we are, where someone watches.
class Progress {
 public:
  void show(const Row& row) {
    ++rows_;
    say("\r\033[K" + std::to_string(rows_) + " rows, now after " + row.op + " " +
        std::to_string(row.bytes));
  }
  ~Progress() { say("\r\033[K"); }

 private:
  void say(const std::string& text) const {
    if (terminal_) std::fputs(text.c_str(), stderr);
  }
  bool terminal_ = isatty(STDERR_FILENO) == 1;
  int rows_ = 0;
};

class Collector {
 public:
  explicit Collector(const RmaOptions& options) : options_(options) {}

  /// Rows of a job of so many ranks.
  void job(int ranks, const std::string& task) {
    std::vector<std::string> arguments{task};
    if (options_.quick) arguments.emplace_back("--quick");
    for (const std::string& op : options_.only) arguments.insert(arguments.end(), {"--only", op});
    bench::run_job({.ranks = ranks, .arguments = arguments}, [this](const Row& row) { add(row); });
  }

  void startup(int ranks, int times) {
    const std::string op = "start." + std::to_string(ranks);
    if (!wants({op})) return;
    std::vector<double> ns, bare_ns;
    for (int i = 0; i < times; ++i) {
      bare_ns.push_back(bench::bare_startup_ns(ranks));
      ns.push_back(bench::startup_ns(ranks));
    }
    add({.op = op, .bytes = 0, .ns = bench::median(ns), .limit_ns = bench::median(bare_ns)});
  }

  /// Whether one of these may be asked for.
  [[nodiscard]] bool wants(std::initializer_list<std::string_view> ops) const {
    for (const std::string_view op : ops)
      if (bench::wanted(options_.only, op)) return true;
    return false;
  }

  [[nodiscard]] std::vector<Row> rows() const { return bench::medians(rows_); }

 private:
  void add(const Row& row) {
    rows_.push_back(row);
    progress_.show(row);
  }

  const RmaOptions& options_;
  std::vector<Row> rows_;
  Progress progress_;
};

std::vector<Row> collect(const RmaOptions& options) {
  Collector collector(options);
  for (int i = 0; i < options.repeat; ++i) {
    collector.job(2, "rma");
    if (collector.wants({"barrier.p8", "allreduce8.p8"})) collector.job(8, "rma");
    collector.startup(1, options.quick ? 3 : 15);
    collector.startup(64, options.quick ? 1 : 7);
    if (collector.wants({"rss"})) collector.job(2, "rss");
    if (collector.wants({"rss.64"})) collector.job(64, "rss");
  }
  return collector.rows();
}

void rma(const RmaOptions& options) {
  const bench::Peers peers =
      options.peers_path.empty() ? bench::Peers() : bench::Peers(options.peers_path);
  std::ofstream file;
  if (!options.json_path.empty()) {  // better to fail now than after a minute
    file.open(options.json_path);
    if (!file) throw std::runtime_error("bench: cannot write " + options.json_path);
  }
  const std::vector<Row> rows = collect(options);
  if (rows.empty())
    throw std::runtime_error("bench: no row is called so; see `armature bench rma --help`");
  std::fputs(bench::table(rows, peers).c_str(), stdout);
  if (options.json_path.empty()) return;
  file << bench::json(rows, peers);
  if (!file.flush()) throw std::runtime_error("bench: cannot write " + options.json_path);
}

constexpr const char* rma_footer =
    R"(Rows (time in ns of one operation of rank 0 on memory of rank 1, each on a core of its own):
  put get            one blocking transfer; .value: a typed value; .skewed: the local buffer lies
                     16 bytes further into its page; put.fence: a put and its fence
  put.bw get.bw      a window of non-blocking ones, one wait; per transfer
  put.pingpong       a put each way, seen by reading one's own memory
  put2d get2d        n x n doubles of a 1024-wide matrix
  gather             1000 doubles, every third, by a vector of addresses; .strided: as a section;
                     .aggregate: as requests of an aggregate handle
  acc                x += 2 * y on doubles
  fadd lock          fetch-and-add; lock and unlock
  nbput1000          1000 non-blocking 8-byte puts to different lines, one wait; per put
  barrier allreduce8 .p2 and .p8: among that many ranks
  X.busy             X while the target computes and never calls the library
  X.contended        both ranks at it without pause
  start.1 start.64   `armature run` of a program that only joins the job; limit: bare processes
  rss rss.64         bytes: resident memory that joining a job of 2 or 64 ranks adds to a rank;
                     ns: the time that joining takes

The limit is the same done by hand on the same memory (memcpy, a loop, std::atomic, a pthread mutex,
a counter on which processes spin, or yield when they are more than cores), measured by the same
process in turns with the operation.

Examples:
  armature bench rma
  armature bench rma --quick --only acc --only lock.contended
  armature bench rma --repeat 3 --json rma.json --peers peers.tsv)";

void add_rma(CLI::App& bench_app) {
  auto options = std::make_shared<RmaOptions>();
  CLI::App* app =
      bench_app.add_subcommand("rma", "One-sided operations against the limit of the machine");
  app->add_option("--json", options->json_path, "Also write the rows to this file, as JSON");
  app->add_option(
         "--peers", options->peers_path,
         "Compare with the best of these: lines of system, op, bytes, ns, separated by tabs")
      ->check(CLI::ExistingFile);
  app->add_option("--only", options->only,
                  "Only these operations; put means put, put.bw, put.busy...")
      ->expected(1)
      ->take_all();
  app->add_option("--repeat", options->repeat,
                  "Measure everything so often, in new jobs; what is in the middle counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app->add_flag("--quick", options->quick, "A second or two instead of ten; rough figures");
  app->footer(rma_footer);
  app->callback([options] { rma(*options); });
}

void add_bench_rank(CLI::App& app) {
  auto options = std::make_shared<bench::RankOptions>();
  CLI::App* rank =
      app.add_subcommand("bench-rank", "One rank of a job that `armature bench` has started");
  rank->group("");  // not in the help
  rank->add_option("task", options->task)
      ->required()
      ->check(CLI::IsMember({"rma", "rss", "start", "nothing"}));
  rank->add_option("--to", options->to);
  rank->add_option("--only", options->only)->expected(1)->take_all();
  rank->add_flag("--quick", options->quick);
  rank->callback([options] {
    const int status = bench::rank_main(*options);
    if (status != 0) throw CLI::RuntimeError(status);
  });
}

}  // namespace

void add_bench(CLI::App& app) {
  CLI::App* bench = app.add_subcommand("bench", "Measure this machine and Armature on it");
  bench->require_subcommand(1);
  bench->footer("`armature bench rma --help` lists what is measured, with examples.");
  add_rma(*bench);
  add_bench_rank(app);
}

}  // namespace armature::tools
