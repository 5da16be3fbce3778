#include "command/run/host_file.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <span>
#include <sstream>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/checksum.hpp"
#include "base/fail.hpp"

namespace armature::command {
namespace {

/// A number that changes when the file does; 0: there is none.
std::uint64_t state_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return 0;
  const std::int64_t words[] = {status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_size,
                                static_cast<std::int64_t>(status.st_ino)};
  return base::checksum(std::as_bytes(std::span(words)), 1);
}

}  // namespace

int HostLine::open_network() {
  if (netns.empty()) return 0;
  const base::FileDescriptor file(open(netns.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return errno;
  int problem = 0;
  // A thread that enters a namespace takes no other along.
  std::thread([&] {
    if (setns(file.get(), CLONE_NEWNET) != 0) problem = errno;
  }).join();
  if (problem != 0) return problem;
  // The number is none of those that a process begins with.
  network = std::make_shared<const base::FileDescriptor>(
      fcntl(file.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  return *network ? 0 : errno;
}

std::vector<HostLine> read_host_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) base::fail(Errc::start, fmt::format("--hostfile: {} cannot be read", path));
  std::vector<HostLine> lines;
  int number = 0;
  for (std::string text; std::getline(file, text);) {
    ++number;
    const auto fail = [&](const std::string& why) {
      base::fail(Errc::start, fmt::format("--hostfile: {}, line {}: {}", path, number, why));
    };
    std::istringstream words(text.substr(0, text.find('#')));
    HostLine line;
    if (!(words >> line.name)) continue;
    constexpr std::string_view netns = "netns=";
    for (std::string word; words >> word;) {
      if (!word.starts_with(netns)) fail(fmt::format("'{}' is not netns=FILE", word));
      line.netns = word.substr(netns.size());
    }
    if (std::ranges::find(lines, line.name, &HostLine::name) != lines.end())
      fail(fmt::format("{} is there twice", line.name));
    lines.push_back(std::move(line));
  }
  if (file.bad()) base::fail(Errc::start, fmt::format("--hostfile: {} cannot be read", path));
  return lines;
}

HostFile::HostFile(std::string path)
    : path_(std::move(path)),
      state_(state_of(path_)),
      seen_(state_),
      wanted_(read_host_file(path_)) {
  nodes_ = wanted_;
  for (HostLine& line : nodes_)
    if (const int problem = line.open_network(); problem != 0)
      base::fail(Errc::start, fmt::format("--hostfile: {}, netns={}: {}", line.name, line.netns,
                                          base::system_text(problem)));
}

std::vector<int> HostFile::networks() const {
  std::vector<int> numbers;
  for (const HostLine& line : nodes_) numbers.push_back(line.network ? line.network->get() : -1);
  return numbers;
}

bool HostFile::read_again(std::string& problem) {
  const std::uint64_t now = state_of(path_);
  if (now == 0 || std::exchange(seen_, now) != now || now == state_) return false;
  state_ = now;
  try {
    wanted_ = read_host_file(path_);
  } catch (const Error& error) {
    problem = error.what();
    return false;
  }
  std::erase_if(gone_, [&](const std::string& name) { return !is_wanted(name); });
  return true;
}

bool HostFile::is_wanted(const std::string& name) const {
  return std::ranges::find(wanted_, name, &HostLine::name) != wanted_.end();
}

std::vector<HostLine> HostFile::to_come(const std::vector<int>& living) {
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (std::ranges::find(living, static_cast<int>(node)) != living.end()) continue;
    if (is_wanted(nodes_[node].name))
      gone_.insert(nodes_[node].name);
    else
      nodes_[node].name.clear();  // the line may come back
  }
  std::vector<HostLine> lines;
  for (const HostLine& line : wanted_) {
    const auto is_in = [&](const std::vector<HostLine>& all) {
      return std::ranges::find(all, line.name, &HostLine::name) != all.end();
    };
    if (!is_in(nodes_) && !is_in(coming_) && !gone_.contains(line.name)) lines.push_back(line);
  }
  return lines;
}

std::vector<int> HostFile::to_leave(const std::vector<int>& living) const {
  std::vector<int> nodes;
  for (const int node : living) {
    const auto number = static_cast<std::size_t>(node);
    if (number < nodes_.size() && !nodes_[number].name.empty() && !is_wanted(nodes_[number].name))
      nodes.push_back(node);
  }
  return nodes;
}

void HostFile::are_asked_for(const std::vector<HostLine>& lines) {
  coming_.insert(coming_.end(), lines.begin(), lines.end());
}

void HostFile::are_refused() {
  for (const HostLine& line : std::exchange(coming_, {})) gone_.insert(line.name);
}

void HostFile::go_on(const std::vector<int>& kept, std::size_t nodes) {
  std::vector<HostLine> next;
  for (const int node : kept) next.push_back(nodes_[static_cast<std::size_t>(node)]);
  for (HostLine& line : coming_)
    if (next.size() < nodes) next.push_back(std::move(line));
  next.resize(nodes);
  nodes_ = std::move(next);
  coming_.clear();
}

}  // namespace armature::command
