#include "command/next_start.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <vector>

#include "bootstrap/environment.hpp"

namespace armature::command {
namespace {

struct Host {
  std::string name;  // by itself, which may not be what the user calls it
  int stay = 0, all = 0;
};

/// "a" and "a.example.org" are the same.
bool is_named(const Host& host, const std::string& name) {
  return host.name == name || host.name.starts_with(name + ".") ||
         name.starts_with(host.name + ".");
}

/// Finds what the job has said of that host; launchers take hosts in their order.
const Host* find(const std::vector<Host>& hosts, const std::vector<std::string>& names,
                 std::size_t place) {
  const auto found =
      std::ranges::find_if(hosts, [&](const Host& host) { return is_named(host, names[place]); });
  if (found != hosts.end()) return &*found;
  return hosts.size() == names.size() ? &hosts[place] : nullptr;
}

}  // namespace

std::optional<Outcome> next_start(const LaunchOptions& options, const std::string& checkpoint) {
  std::ifstream file(options.resize_directory + "/" + checkpoint + "/" + bootstrap::resize_file);
  Outcome outcome{.goes_on = true, .nodes = 1};
  std::string word;
  if (!(file >> word >> outcome.processes) || word != "processes" || outcome.processes == 0)
    return std::nullopt;
  std::vector<Host> hosts;
  for (Host host; file >> word >> host.stay >> host.all >> host.name;) hosts.push_back(host);
  // Fewer start where some leave: the first ones get one more than the others.
  std::vector<std::string> less;
  for (std::size_t place = 0; place < options.hosts.size(); ++place) {
    const Host* const host = find(hosts, options.hosts, place);
    if (host != nullptr && host->stay == 0) continue;
    (host == nullptr || host->stay == host->all ? outcome.hosts : less)
        .push_back(options.hosts[place]);
  }
  outcome.hosts.insert(outcome.hosts.end(), less.begin(), less.end());
  if (outcome.hosts.size() > outcome.processes) outcome.hosts.resize(outcome.processes);
  return outcome;
}

}  // namespace armature::command
