// A problem in a file: lines of words, which a person can read and write.
//
//   places 4
//   groups 0 0 1 1        (not where all are one)
//   item 0.25 3           (its load and place)
//   link 0 7 12           (two items, by their order, and the weight)
#include <cmath>
#include <fstream>
#include <locale>
#include <sstream>

#include <fmt/format.h>

#include "balance/loads.hpp"
#include "base/fail.hpp"

namespace armature::balance {

namespace {

/// The sums must be finite: what is printed of a record is made of them.
void check_sums(const Problem& problem) {
  double loads = 0, weights = 0;
  for (const Item& item : problem.items) loads += item.load;
  for (const Link& link : problem.links) weights += link.weight;
  if (!std::isfinite(loads) || !std::isfinite(weights))
    base::fail(Errc::bad_argument, "balance: loads or weights are so large that they have no sum");
}

}  // namespace

void record(const Problem& problem, const std::string& path) {
  check(problem);
  check_sums(problem);
  std::ofstream to(path);
  to.imbue(std::locale::classic());  // whatever the program's is
  to.precision(17);
  to << "places " << problem.places << '\n';
  if (!problem.groups.empty()) {
    to << "groups";
    for (const int group : problem.groups) to << ' ' << group;
    to << '\n';
  }
  for (const Item& item : problem.items) to << "item " << item.load << ' ' << item.place << '\n';
  for (const Link& link : problem.links)
    to << "link " << link.a << ' ' << link.b << ' ' << link.weight << '\n';
  to.close();
  if (!to) base::fail(Errc::bad_argument, fmt::format("balance: {} cannot be written", path));
}

Problem replay(const std::string& path) {
  std::ifstream from(path);
  if (!from) base::fail(Errc::bad_argument, fmt::format("balance: {} cannot be read", path));
  Problem problem{.places = 0};
  std::string line;
  for (int number = 1; std::getline(from, line); ++number) {
    std::istringstream words(line);
    words.imbue(std::locale::classic());
    std::string kind, rest;
    if (!(words >> kind) || kind.starts_with('#')) continue;
    Item item;
    Link link;
    bool good = true;
    if (kind == "places") {
      good = problem.places == 0 && words >> problem.places;
    } else if (kind == "groups") {
      good = problem.groups.empty();
      for (int group = 0; good && !(words >> std::ws).eof(); problem.groups.push_back(group))
        good = static_cast<bool>(words >> group);
    } else if (kind == "item") {
      good = static_cast<bool>(words >> item.load >> item.place);
      problem.items.push_back(item);
    } else if (kind == "link") {
      good = static_cast<bool>(words >> link.a >> link.b >> link.weight) && link.weight >= 0;
      problem.links.push_back(link);
    } else {
      good = false;
    }
    if (!good || words >> rest)
      base::fail(Errc::bad_argument,
                 fmt::format("balance: {}, line {}, makes no sense: {}", path, number, line));
  }
  if (from.bad())  // a folder
    base::fail(Errc::bad_argument, fmt::format("balance: {} cannot be read", path));
  try {
    check(problem);
    check_sums(problem);
  } catch (const Error& error) {
    base::fail(Errc::bad_argument, fmt::format("{}: {}", path, error.what()));
  }
  return problem;
}

}  // namespace armature::balance
