#include "scenario.hpp"

#include <algorithm>
#include <ostream>
#include <stdexcept>

namespace armature::fence_model {

std::ostream& operator<<(std::ostream& out, const Scenario& scenario) {
  return out << scenario.name;
}

// name ">" rank [ "(" request { " " request } ")" ]
int Plan::read_request(const std::string& text, std::size_t& at, int from) {
  const int number = static_cast<int>(requests.size());
  if (number == requests_max || at + 2 >= text.size() || text[at + 1] != '>')
    throw std::invalid_argument("no request: " + text.substr(at));
  const int to = text[at + 2] - '0';
  if (to < 0 || to >= static_cast<int>(scenario.programs.size()) || to == from)
    throw std::invalid_argument("no such receiver: " + text.substr(at));
  requests.push_back({.name = text[at], .from = from, .to = to, .then = {}});
  at += 3;
  if (at < text.size() && text[at] == '(') {
    while (text.at(at) != ')') {
      ++at;
      const int child = read_request(text, at, to);
      requests[static_cast<std::size_t>(number)].then.push_back(child);
    }
    ++at;
  }
  return number;
}

Plan::Plan(const Scenario& s) : scenario(s) {
  members = s.members == 0 ? static_cast<int>(s.programs.size()) : s.members;
  for (const std::string& text : s.programs) {
    const int rank = static_cast<int>(programs.size());
    std::vector<Operation>& program = programs.emplace_back();
    for (std::size_t at = 0; at < text.size();) {
      if (text[at] == ' ') {
        ++at;
      } else if (text.compare(at, 5, "fence") == 0) {  // enters, then waits
        program.push_back({.kind = Operation::Kind::fence});
        program.push_back({.kind = Operation::Kind::wait});
        at += 5;
      } else if (text.compare(at, 5, "async") == 0) {
        program.push_back({.kind = Operation::Kind::async});
        at += 5;
      } else if (text.compare(at, 4, "wait") == 0) {
        program.push_back({.kind = Operation::Kind::wait});
        at += 4;
      } else {
        program.push_back({.kind = Operation::Kind::send, .request = read_request(text, at, rank)});
      }
    }
  }
}

bool Plan::inside(int request) const {
  const Request& r = requests[static_cast<std::size_t>(request)];
  return std::max(r.from, r.to) < members;
}

unsigned Plan::caused_by(int request) const {
  if (!inside(request)) return 0;
  unsigned set = 1u << request;
  for (int child : requests[static_cast<std::size_t>(request)].then) set |= caused_by(child);
  return set;
}

}  // namespace armature::fence_model
