#include "bench/job.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/file_descriptor.hpp"
#include "bench/process.hpp"
#include "bench/sample.hpp"

namespace armature::bench {

namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), "bench: " + what);
}

std::string own_path() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

std::vector<std::string> run_command(const Shape& shape,
                                     const std::vector<std::string>& arguments) {
  std::vector<std::string> command{own_path(), "run", "-n", std::to_string(shape.ranks)};
  if (shape.threads > 1)
    command.insert(command.end(), {"--threads", std::to_string(shape.threads)});
  if (shape.virtual_processes > 0)
    command.insert(command.end(), {"--virtual", "--no-globals-note", "--processes",
                                   std::to_string(shape.virtual_processes)});
  if (shape.balance) command.emplace_back("--balance");
  if (shape.links) command.insert(command.end(), {"--record-links", "/dev/null"});
  if (shape.recovers) command.insert(command.end(), {"--on-death", "recover"});
  if (shape.method_threads > 0)
    command.insert(command.end(), {"--service-threads", std::to_string(shape.method_threads)});
  if (shape.nodes > 1) command.insert(command.end(), {"--nodes", std::to_string(shape.nodes)});
  command.insert(command.end(), {own_path(), "bench-rank"});
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

std::vector<std::string> restart_command(const Job& job) {
  return {own_path(), "restart", job.restart, "--processes",
          std::to_string(job.shape.virtual_processes)};
}

/// Splits what comes through a pipe into lines.
class Lines {
 public:
  /// Reads what there is; calls `on_line` for each line that is complete.
  void read_from(int fd, const std::function<void(const std::string&)>& on_line) {
    char chunk[4096];
    for (ssize_t n = 0; (n = read(fd, chunk, sizeof chunk)) > 0;)
      rest_.append(chunk, static_cast<std::size_t>(n));
    for (std::size_t end = 0; (end = rest_.find('\n')) != std::string::npos;) {
      on_line(rest_.substr(0, end));
      rest_.erase(0, end + 1);
    }
  }

 private:
  std::string rest_;
};

}  // namespace

void run_job(const Job& job, const std::function<void(const Row&)>& on_row) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) fail("pipe");
  const base::FileDescriptor reading(ends[0]), writing(ends[1]);
  // Rank 0 opens the pipe by its name in /proc: descriptors need not survive the launcher.
  const std::string to = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(ends[1]);
  std::vector<std::string> arguments = job.arguments;
  arguments.insert(arguments.end(), {"--to", to});
  if (!job.restart.empty()) setenv(rows_variable, to.c_str(), 1);
  setenv(started_variable, std::to_string(now_ns()).c_str(), 1);

  Process process(job.restart.empty() ? run_command(job.shape, arguments) : restart_command(job));
  Lines lines;
  process.expect_success(ends[0], [&] {
    lines.read_from(ends[0], [&](const std::string& line) { on_row(row_of(line)); });
  });
}

double startup_ns(int ranks) {
  const double start = now_ns();
  Process(run_command({.ranks = ranks}, {"start"})).expect_success();
  return now_ns() - start;
}

double bare_startup_ns(int processes) {
  const double start = now_ns();
  std::vector<Process> all;
  for (int i = 0; i < processes; ++i)
    all.emplace_back(std::vector<std::string>{own_path(), "bench-rank", "nothing"});
  for (Process& process : all) process.expect_success();
  return now_ns() - start;
}

}  // namespace armature::bench
