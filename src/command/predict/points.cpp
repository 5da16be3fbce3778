#include "command/predict/points.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/fail.hpp"
#include "command/run/signals.hpp"
#include "simulation/prediction.hpp"

namespace armature::command::predict {
namespace {

namespace fs = std::filesystem;

constexpr int status_not_started = 127;
constexpr const char* no_latency =
    ",latency=0s,overhead=0s,gap=0s,node-latency=0s,node-overhead=0s,node-gap=0s";
constexpr const char* most_bandwidth = ",bandwidth=1TB/s,node-bandwidth=1TB/s";

/// A folder for what a run writes, while it lives.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "armature-predict-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      base::fail(Errc::start, fmt::format("{} cannot be made: {}", name, base::system_text(errno)));
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The command, with signals as this one was given them. It does not outlive this process.
[[noreturn]] void become(const std::vector<char*>& arguments, const std::string& output,
                         pid_t parent, const Signals& signals) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(status_not_started);
  signals.restore();
  const int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  dup2(input, STDIN_FILENO);
  dup2(file, STDOUT_FILENO);
  dup2(file, STDERR_FILENO);
  execv("/proc/self/exe", arguments.data());
  _exit(status_not_started);
}

/// Passes on the signals that have arrived. Returns one that asks for the end; 0: there is none.
int pass_on(const Signals& signals, pid_t child) {
  int ends = 0;
  while (const auto arrived = signals.next()) {
    if (arrived->number == SIGCHLD) continue;
    // The keys of a terminal send their signals to the whole group of processes.
    if (!arrived->by_terminal) kill(child, arrived->number);
    if (arrived->number == SIGTSTP) signals.stop();
    for (const int one : {SIGINT, SIGTERM, SIGHUP, SIGQUIT})
      if (arrived->number == one) ends = one;
  }
  return ends;
}

/// Runs a command whose output goes to that file; its exit status, as a shell has it. Throws
/// CLI::RuntimeError where this process has been asked to end meanwhile.
int run(std::vector<std::string> words, const std::string& output, const Signals& signals) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t parent = getpid(), child = fork();
  if (child < 0)
    base::fail(Errc::start, fmt::format("predict: the launcher cannot be started: {}",
                                        base::system_text(errno)));
  if (child == 0) become(arguments, output, parent, signals);
  int status = 0, ends = 0;
  while (waitpid(child, &status, WNOHANG) != child) {
    pollfd arrives{signals.fd(), POLLIN, 0};
    (void)poll(&arrives, 1, -1);
    if (const int asked = pass_on(signals, child); asked != 0) ends = asked;
  }
  if (ends != 0) throw CLI::RuntimeError(128 + ends);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

nlohmann::json simulate(const Program& program, const std::string& network, std::uint32_t ranks) {
  const Signals signals;  // else one that ends this process would leave the folder behind
  const Folder folder;
  setenv(simulation::prediction_file_variable, folder.file("prediction").c_str(), 1);
  std::vector<std::string> words = {"armature", "run", "--simulate",          "1", "--network",
                                    network,    "-n",  std::to_string(ranks), "--"};
  words.insert(words.end(), program.words.begin(), program.words.end());
  const int status = run(std::move(words), folder.file("output"), signals);
  unsetenv(simulation::prediction_file_variable);
  const std::string said = text_of(folder.file("output"));
  if (status != 0)
    base::fail(Errc::start, fmt::format("predict: {} fails on {} ranks, with status {}:\n{}",
                                        program.words.front(), ranks, status, said));
  const auto found =
      nlohmann::json::parse(text_of(folder.file("prediction")), nullptr, /*exceptions=*/false);
  if (!found.is_object())
    base::fail(Errc::start, fmt::format("predict: {} has not run as a program of Armature:\n{}",
                                        program.words.front(), said));
  return found;
}

}  // namespace

const char* Point::limit() const {
  const std::pair<double, const char*> parts[] = {{work_s, "a rank's work"},
                                                  {imbalance_s, "imbalance"},
                                                  {latency_s, "latency"},
                                                  {bandwidth_s, "bandwidth"}};
  return std::ranges::max_element(parts, {}, &std::pair<double, const char*>::first)->second;
}

Point predict(const Program& program, std::uint32_t ranks) {
  const auto seconds = [](const nlohmann::json& run, const char* name) {
    return run.at(name).get<double>();
  };
  const auto as_is = simulate(program, program.network, ranks);
  const double time_s = seconds(as_is, "time_s");
  const auto saved = [&](const char* otherwise) {
    const auto other = simulate(program, program.network + otherwise, ranks);
    return std::max(time_s - seconds(other, "time_s"), 0.0);
  };
  const double work_s = seconds(as_is, "computed_mean_s");
  return {.ranks = ranks,
          .time_s = time_s,
          .work_s = work_s,
          .imbalance_s = seconds(as_is, "computed_max_s") - work_s,
          .latency_s = saved(no_latency),
          .bandwidth_s = saved(most_bandwidth),
          .messages = as_is.at("messages").get<std::uint64_t>(),
          .bytes = as_is.at("bytes").get<std::uint64_t>()};
}

}  // namespace armature::command::predict
