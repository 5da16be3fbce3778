#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "bench/peers.hpp"
#include "bench/process.hpp"
#include "bench/rank.hpp"
#include "bench/row.hpp"
#include "bench/suite.hpp"
#include "bench/table.hpp"
#include "command/commands.hpp"

// `armature bench rma` and its like: a suite's rows as a table and as a JSON file.

namespace armature::command {

namespace {

using bench::Request;
using bench::Row;
using bench::Suite;

void run(const Suite& suite, const Request& request) {
  bench::Peers peers =
      request.peers_path.empty() ? bench::Peers() : bench::Peers(request.peers_path);
  const auto open = [&](std::ios::openmode how) {
    std::ofstream file(request.json_path, how);
    if (!file) throw std::runtime_error("bench: cannot write " + request.json_path);
    return file;
  };
  // Better to fail now than after a minute; what is there, or nothing, stays until there are rows.
  if (!request.json_path.empty()) {
    const bool is_new = !std::filesystem::exists(request.json_path);
    (void)open(std::ios::app);
    if (is_new) std::filesystem::remove(request.json_path);
  }
  std::vector<Row> rows;
  {
    bench::Collector collector(request);
    for (int i = 0; i < request.repeat; ++i) {
      for (const std::string& command : request.peer_commands)
        peers.take(command, bench::output_of({"/bin/sh", "-c", command}));
      suite.collect(collector);
    }
    rows = collector.rows();
  }
  if (rows.empty())
    throw std::runtime_error(std::string("bench: no row is called so; see `armature bench ") +
                             suite.name + " --help`");
  std::fputs(bench::table(rows, peers, suite.aims).c_str(), stdout);
  if (suite.notes != nullptr) std::fputs(suite.notes(rows).c_str(), stdout);
  if (request.json_path.empty()) return;
  std::ofstream file = open(std::ios::trunc);
  file << bench::json(rows, peers, suite.aims);
  if (!file.flush()) throw std::runtime_error("bench: cannot write " + request.json_path);
}

void add_suite(CLI::App& bench_app, const Suite& suite) {
  auto request = std::make_shared<Request>();
  CLI::App* app = bench_app.add_subcommand(suite.name, suite.title);
  app->add_option("--json", request->json_path, "Also write the rows to this file, as JSON")
      ->type_name("FILE");
  app->add_option(
         "--peers", request->peers_path,
         "Compare with the best of these: lines of system, op, bytes, ns, separated by tabs")
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  app->add_option("--peer", request->peer_commands,
                  "A command that prints such lines: run before the rows, in each repetition")
      ->type_name("COMMAND")
      ->expected(1)
      ->take_all();
  app->add_option("--only", request->only,
                  "Only these operations; a name stands for what follows it after a dot, too")
      ->type_name("NAME")
      ->expected(1)
      ->take_all();
  app->add_option("--repeat", request->repeat,
                  "Measure everything so often, in new jobs; what is in the middle counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  if (suite.nodes.max > 0) {
    request->nodes = suite.nodes.min;
    app->add_option("--nodes", request->nodes, suite.nodes.what)
        ->check(CLI::Range(suite.nodes.min, suite.nodes.max))
        ->capture_default_str();
  }
  app->add_flag("--quick", request->quick, "A second or two instead of ten; rough figures");
  app->footer(suite.footer);
  app->callback([request, &suite] {
    try {
      run(suite, *request);
    } catch (const bench::Interrupted& by) {
      throw CLI::RuntimeError(128 + by.signal);
    }
  });
}

void add_bench_rank(CLI::App& app) {
  auto options = std::make_shared<bench::RankOptions>();
  CLI::App* rank =
      app.add_subcommand("bench-rank", "One rank of a job that `armature bench` has started");
  rank->group("");  // not in the help
  rank->add_option("task", options->task)
      ->required()
      ->check(CLI::IsMember({"rma",
                             "local",
                             "messages",
                             "rmi",
                             "concurrent",
                             "virtual",
                             "checkpoint",
                             "recovery",
                             "hotspot",
                             "hotspot.balanced",
                             "nodes",
                             "net",
                             "rss",
                             "create",
                             "collectives",
                             "arrays",
                             "tasks",
                             "scale",
                             "start",
                             "nothing",
                             "busy",
                             "foreign",
                             "foreign.stealing",
                             "foreign.rebalanced",
                             "stencil",
                             "exchange",
                             "predicted"}));
  rank->add_option("--to", options->to);
  rank->add_option("--folder", options->folder);
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
  bench->footer(
      "`armature bench rma --help`, and so with messages, rmi, virtual, net, collectives, "
      "arrays, tasks, predict, scale, balance and shmem, lists the rows, with examples.");
  add_suite(*bench, bench::rma_suite);
  add_suite(*bench, bench::messages_suite);
  add_suite(*bench, bench::rmi_suite);
  add_suite(*bench, bench::virtual_suite);
  add_suite(*bench, bench::net_suite);
  add_suite(*bench, bench::collectives_suite);
  add_suite(*bench, bench::arrays_suite);
  add_suite(*bench, bench::tasks_suite);
  add_suite(*bench, bench::predict_suite);
  add_suite(*bench, bench::scale_suite);
  add_suite(*bench, bench::balance_suite);
  add_suite(*bench, bench::shmem_suite);
  add_bench_rank(app);
}

}  // namespace armature::command
