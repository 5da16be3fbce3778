#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/aim.hpp"
#include "bench/job.hpp"
#include "bench/programs.hpp"
#include "bench/row.hpp"

// `armature bench` measures suites. A suite starts jobs of this same program, one after the other
// (job.hpp); their rows become a table and a JSON file.

namespace armature::bench {

/// The options of the command line.
struct Request {
  std::string json_path;
  std::string peers_path;
  std::vector<std::string> peer_commands;
  std::vector<std::string> only;
  int repeat = 1;
  int nodes = 1;
  bool quick = false;
};

/// How far we are, where someone watches.
class Progress {
 public:
  Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();
  void show(const Row& row);

 private:
  void say(const std::string& text) const;
  bool terminal_;
  int rows_ = 0;
};

/// Runs jobs and gathers their rows.
class Collector {
 public:
  explicit Collector(const Request& request) : request_(request) {}

  /// Rows of a job of that shape.
  void job(const Shape& shape, const std::string& task);
  /// Only those of its rows.
  void job(const Shape& shape, const std::string& task,
           std::initializer_list<std::string_view> ops);
  /// A row of the words of a text that are counted by two ranks; limit: `sort | uniq -c`.
  void words();
  /// Rows of a job of virtual ranks that is written to the current folder and restarted.
  void checkpoints(const Shape& shape);
  /// Rows of examples: two virtual ranks, each in a process; limit: two processes.
  void examples();
  /// Rows of examples with many virtual ranks to a process, between nodes that are far from each
  /// other.
  void examples_far_apart();
  /// Rows of two modules on ranks of two nodes that are far from each other: one after the other,
  /// and together; limit: the longer one alone.
  void modules_far_apart();
  /// A row of what it takes to start and end so many ranks.
  void startup(int ranks, int times);
  /// Rows that a program has measured: adds the ones that are asked for.
  void take(const std::vector<Row>& rows);
  /// Whether one of these may be asked for.
  [[nodiscard]] bool wants(std::initializer_list<std::string_view> ops) const;
  [[nodiscard]] bool quick() const { return request_.quick; }
  [[nodiscard]] int nodes() const { return request_.nodes; }
  [[nodiscard]] std::vector<Row> rows() const { return medians(rows_); }

 private:
  /// How often what is measured as a whole is done.
  [[nodiscard]] int times() const { return request_.quick ? 1 : 5; }
  [[nodiscard]] std::vector<std::string> arguments_of(const std::string& task) const;
  void add(const Row& row);
  /// Rows of a program: its ranks like this; limit: like that.
  void compare(const Program& program, const std::string& op, const Hosting& hosting,
               const Hosting& with);

  const Request& request_;
  std::vector<Row> rows_;
  Progress progress_;
};

struct Suite {
  const char* name;
  const char* title;
  const char* footer;  // of its help: the rows and what they are
  void (*collect)(Collector& collector);
  std::span<const Aim> aims;
  std::string (*notes)(const std::vector<Row>& rows);  // below the table; nullptr: none
  struct Nodes {
    int min = 0, max = 0;  // the least is what is measured unless asked otherwise
    const char* what = nullptr;
  } nodes = {};  // a suite without any has no such option
};

extern const Suite rma_suite;
extern const Suite messages_suite;
extern const Suite rmi_suite;
extern const Suite virtual_suite;
extern const Suite net_suite;
extern const Suite collectives_suite;
extern const Suite arrays_suite;
extern const Suite tasks_suite;
extern const Suite predict_suite;
extern const Suite scale_suite;
extern const Suite balance_suite;
extern const Suite shmem_suite;

}  // namespace armature::bench
