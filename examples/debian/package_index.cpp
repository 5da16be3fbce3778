#include "debian/package_index.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace debian {
namespace {

// The longest line of bookworm's index is under 20 kB. A file without line ends is no index.
constexpr std::size_t line_bytes_max = 1 << 20;

constexpr std::uint32_t not_a_package = std::numeric_limits<std::uint32_t>::max();

constexpr std::array field_of_slot = {Field::depends, Field::pre_depends, Field::recommends,
                                      Field::suggests};
constexpr std::array<std::string_view, 4> key_of_slot = {"Depends", "Pre-Depends", "Recommends",
                                                         "Suggests"};

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
         c == '-' || c == '.' || c == '_';
}

bool is_name(std::string_view text) {
  return !text.empty() && text.front() != '-' &&
         std::all_of(text.begin(), text.end(), is_name_character);
}

// Quotes text in an error: printable and short.
std::string quote(std::string_view text) {
  std::string quoted = "'";
  for (char c : text.substr(0, 60)) quoted += c >= ' ' && c <= '~' ? c : '?';
  if (text.size() > 60) quoted += "...";
  return quoted + "'";
}

// "(>= 1.2)", "[amd64]", "<!nocheck>" and sequences of them.
bool is_qualification(std::string_view text) {
  while (!(text = trim(text)).empty()) {
    const char close = text[0] == '(' ? ')' : text[0] == '[' ? ']' : text[0] == '<' ? '>' : '\0';
    const auto end = close != '\0' ? text.find(close, 1) : std::string_view::npos;
    if (end == std::string_view::npos) return false;
    text.remove_prefix(end + 1);
  }
  return true;
}

}  // namespace

void PackageIndex::fail(const std::string& what) const {
  throw GraphError(file_ + ":" + std::to_string(line_number_) + ": " + what);
}

void PackageIndex::begin_file(std::string name) {
  file_ = std::move(name);
  line_number_ = 0;
}

void PackageIndex::feed(std::string_view text) {
  while (true) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) break;
    ++line_number_;
    if (unfinished_line_.empty()) {
      take_line(text.substr(0, end));
    } else {
      unfinished_line_ += text.substr(0, end);
      take_line(unfinished_line_);
      unfinished_line_.clear();
    }
    text.remove_prefix(end + 1);
  }
  unfinished_line_ += text;
  if (unfinished_line_.size() > line_bytes_max) {
    ++line_number_;
    fail("a line of more than 1 MiB; this is not a package index");
  }
}

void PackageIndex::end_file() {
  if (!unfinished_line_.empty()) {
    ++line_number_;
    fail("the file ends in the middle of a line; it was cut off");
  }
  end_stanza();
}

void PackageIndex::take_line(std::string_view line) {
  if (trim(line).empty()) {
    end_stanza();
    return;
  }
  if (line.front() == ' ' || line.front() == '\t') {
    if (!in_field_) fail("a continuation line where no field has begun: " + quote(line));
    if (open_field_ != nullptr) *open_field_ += line;
    return;
  }
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || !is_name(line.substr(0, colon))) {
    fail("expected 'Field: value', found " + quote(line));
  }
  const auto key = line.substr(0, colon);
  in_stanza_ = true;
  in_field_ = true;
  open_field_ = nullptr;
  if (key == "Package") {
    if (!package_.empty()) fail("a second Package field in the stanza of " + quote(package_));
    package_ = trim(line.substr(colon + 1));
    if (!is_name(package_)) fail("not a package name: " + quote(package_));
    return;
  }
  for (std::size_t slot = 0; slot < key_of_slot.size(); ++slot) {
    if (key != key_of_slot[slot]) continue;
    open_field_ = &relations_[slot];
    if (!open_field_->empty()) fail("a second " + std::string(key) + " field in one stanza");
    *open_field_ = line.substr(colon + 1);
  }
}

void PackageIndex::end_stanza() {
  if (!in_stanza_) return;
  if (package_.empty()) fail("the stanza that ends here has no Package field");
  const std::uint32_t from = number_of(package_);
  if (!is_package_[from]) {
    is_package_[from] = true;
    for (std::size_t slot = 0; slot < relations_.size(); ++slot) {
      take_relations(from, field_of_slot[slot], relations_[slot]);
    }
  }
  for (std::string& text : relations_) text.clear();
  package_.clear();
  open_field_ = nullptr;
  in_stanza_ = in_field_ = false;
}

// "a (>= 1), b | c:any [amd64]": groups between commas, alternatives between bars.
void PackageIndex::take_relations(std::uint32_t from, Field field, std::string_view text) {
  if (trim(text).empty()) return;
  while (true) {
    const auto end = text.find_first_of(",|");
    take_relation(from, field, trim(text.substr(0, end)));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

void PackageIndex::take_relation(std::uint32_t from, Field field, std::string_view text) {
  const auto* end = std::find_if_not(text.begin(), text.end(), is_name_character);
  const auto name = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  auto rest = text.substr(name.size());
  if (!rest.empty() && rest.front() == ':') {  // an architecture, as in "python3:any"
    rest.remove_prefix(1);
    while (!rest.empty() && is_name_character(rest.front())) rest.remove_prefix(1);
  }
  if (!is_name(name) || !is_qualification(rest)) {
    fail("package " + quote(package_) + " depends on " + quote(text) +
         ", which is not 'name (relation version)'");
  }
  mentions_.push_back({from, number_of(name), field});
}

std::uint32_t PackageIndex::number_of(std::string_view name) {
  const auto next = static_cast<std::uint32_t>(numbers_.size());
  const auto [entry, is_new] = numbers_.try_emplace(std::string(name), next);
  if (is_new) is_package_.push_back(false);
  return entry->second;
}

PackageGraph PackageIndex::finish() {
  PackageGraph graph;
  for (const auto& [name, number] : numbers_) {
    if (is_package_[number]) graph.names.push_back(name);
  }
  if (graph.names.empty()) throw GraphError(file_ + ": holds no packages");
  std::sort(graph.names.begin(), graph.names.end());

  std::vector<std::uint32_t> sorted_number(numbers_.size(), not_a_package);
  for (std::uint32_t i = 0; i < graph.names.size(); ++i) {
    sorted_number[numbers_.at(graph.names[i])] = i;
  }
  for (const Mention& mention : mentions_) {
    const Link link{sorted_number[mention.from], sorted_number[mention.to], mention.fields};
    if (link.to != not_a_package && link.from != link.to) graph.links.push_back(link);
  }
  std::sort(graph.links.begin(), graph.links.end(), [](const Link& a, const Link& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  });
  // Fold the mentions of one pair into one link.
  auto last = graph.links.begin();
  for (const Link& link : graph.links) {
    if (last != graph.links.begin() && last[-1].from == link.from && last[-1].to == link.to) {
      last[-1].fields = last[-1].fields | link.fields;
    } else {
      *last++ = link;
    }
  }
  graph.links.erase(last, graph.links.end());
  return graph;
}

}  // namespace debian
