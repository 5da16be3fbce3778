#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

// UCX tells in words alone which transports a context has and an endpoint uses. Here is what these
// words say; nothing of UCX itself is needed to read them.

namespace armature::transport::printed {

/// The words of each line that begins with "#", without that.
inline std::vector<std::vector<std::string>> lines_of(const std::string& text) {
  std::vector<std::vector<std::string>> lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) {
    if (line.empty() || line.front() != '#') continue;
    std::istringstream words(line.substr(1));
    std::vector<std::string>& of_line = lines.emplace_back();
    for (std::string word; words >> word;) of_line.push_back(word);
  }
  return lines;
}

/// Returns the transports of a context: "# resource 0 : md 0 dev 0 flags -- tcp/eth0".
inline std::vector<std::string> resources(const std::string& text) {
  std::vector<std::string> found;
  for (const std::vector<std::string>& line : lines_of(text))
    if (line.size() > 2 && line.front() == "resource" && line.back().find('/') != std::string::npos)
      found.push_back(line.back());
  return found;
}

/// A lane of an endpoint: "# lane[0]: 1:tcp/lo.0 md[0] -> md[0]/tcp/sysdev[255] am am_bw#0 wireup".
struct Lane {
  std::string transport;  // "tcp/lo"
  std::string uses;       // "am, am_bw#0, wireup"
};

inline std::vector<Lane> lanes(const std::string& text) {
  std::vector<Lane> found;
  for (const std::vector<std::string>& line : lines_of(text)) {
    if (line.size() < 2 || !line.front().starts_with("lane[")) continue;
    Lane lane;
    const std::string& place = line[1];
    const std::size_t begin = place.find(':') + 1;  // 0 where there is none
    lane.transport = place.substr(begin, place.rfind('.') - begin);
    for (std::size_t i = 2; i < line.size(); ++i) {
      const bool is_place = line[i] == "->" || line[i].find('[') != std::string::npos;
      if (!is_place) lane.uses += (lane.uses.empty() ? "" : ", ") + line[i];
    }
    found.push_back(lane);
  }
  return found;
}

/// "tcp" of "tcp/eth0", and "eth0".
inline std::string kind_of(std::string_view transport) {
  return std::string(transport.substr(0, transport.find('/')));
}
inline std::string device_of(std::string_view transport) {
  const std::size_t slash = transport.find('/');
  return slash == std::string_view::npos ? std::string() : std::string(transport.substr(slash + 1));
}

/// Whether the network's hardware reads and writes memory.
inline bool is_rdma(std::string_view transport) {
  return transport.starts_with("rc_") || transport.starts_with("dc_");
}

/// Each once, in the order in which they come.
inline std::string joined_once(const std::vector<std::string>& words, const char* between) {
  std::vector<std::string> seen;
  std::string all;
  for (const std::string& word : words) {
    if (std::ranges::find(seen, word) != seen.end()) continue;
    seen.push_back(word);
    all += (all.empty() ? "" : between) + word;
  }
  return all;
}

}  // namespace armature::transport::printed
