// A problem in a file: lines of words, which a person can read and write.
//
//   places 4
//   groups 0 0 1 1        (not where all are one)
//   level 0 0 1 1         (one line for each level, from the widest to the narrowest)
//   speeds 1 1 0.5 1      (not where all are 1)
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

/// A line of a word and a value for each place; none where there is no value.
template <class T>
void write_of_places(std::ofstream& to, const char* word, const std::vector<T>& values) {
  if (values.empty()) return;
  to << word;
  for (const T value : values) to << ' ' << value;
  to << '\n';
}

/// The rest of such a line; false where it makes no sense, or is there twice.
template <class T>
bool read_of_places(std::istringstream& words, std::vector<T>& values) {
  if (!values.empty()) return false;
  for (T value{}; !(words >> std::ws).eof(); values.push_back(value))
    if (!(words >> value)) return false;
  return true;
}

}  // namespace

void record(const Problem& problem, const std::string& path) {
  check(problem);
  check_sums(problem);
  std::ofstream to(path);
  to.imbue(std::locale::classic());  // whatever the program's is
  to.precision(17);
  to << "places " << problem.places << '\n';
  write_of_places(to, "groups", problem.groups);
  for (const std::vector<int>& level : problem.levels) write_of_places(to, "level", level);
  write_of_places(to, "speeds", problem.speeds);
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
      good = read_of_places(words, problem.groups);
    } else if (kind == "level") {
      good = read_of_places(words, problem.levels.emplace_back());
    } else if (kind == "speeds") {
      good = read_of_places(words, problem.speeds);
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
