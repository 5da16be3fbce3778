#include "checkpoint/manifest.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "base/checksum.hpp"
#include "base/fail.hpp"

namespace armature::checkpoints {
namespace {

constexpr std::string_view last_name = "checksum ";

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  base::fail(Errc::corrupt, fmt::format("{}: {}", name, why));
}

/// A value is the rest of its line.
std::string one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    if (c == '\\')
      line += "\\\\";
    else if (c == '\n')
      line += "\\n";
    else
      line += c;
  }
  return line;
}

std::string from_one_line(std::string_view line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool escaped = line[i] == '\\' && i + 1 < line.size();
    if (escaped) ++i;
    text += escaped && line[i] == 'n' ? '\n' : line[i];
  }
  return text;
}

/// The lines by their names, and what is expected of them.
class Lines {
 public:
  Lines(std::string_view text, const std::string& file) : file_(file) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      const std::size_t space = line.find(' ');
      if (space == std::string_view::npos) refuse(file_, fmt::format("a line '{}'", line));
      values_.emplace(line.substr(0, space), line.substr(space + 1));
    }
  }
  [[nodiscard]] std::string_view text(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) refuse(file_, fmt::format("says nothing of '{}'", name));
    return found->second;
  }
  template <class T>
  void number(const std::string& name, T& value) const {
    read(text(name), value, name);
  }
  template <class T>
  void read(std::string_view word, T& value, const std::string& name) const {
    const bool is_hex = word.starts_with("0x");
    if (is_hex) word.remove_prefix(2);
    const auto [end, error] =
        std::from_chars(word.data(), word.data() + word.size(), value, is_hex ? 16 : 10);
    if (error != std::errc{} || end != word.data() + word.size())
      refuse(file_, fmt::format("{}: '{}' is no number", name, word));
  }
  [[nodiscard]] std::vector<std::string_view> all(const std::string& name) const {
    std::vector<std::string_view> found;
    const auto [first, last] = values_.equal_range(name);
    for (auto at = first; at != last; ++at) found.push_back(at->second);
    return found;
  }

 private:
  const std::string& file_;
  std::multimap<std::string, std::string_view> values_;  // those of one name in their order
};

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t space = line.find(' ');
    words.push_back(line.substr(0, space));
    line.remove_prefix(space == std::string_view::npos ? line.size() : space + 1);
  }
  return words;
}

/// Nothing where the lines do not tell of one.
Manifest::Before before_of(const Lines& lines, const std::string& file) {
  Manifest::Before before;
  const auto all = lines.all("before");
  if (all.empty()) return before;
  const auto words = words_of(all.front());
  if (all.size() != 1 || words.size() != 2 ||
      words[0].find_first_not_of("0123456789") != std::string_view::npos)
    refuse(file, "a line about the checkpoint before that makes no sense");
  before.name = words[0];
  lines.read(words[1], before.checksum, "before");
  return before;
}

/// Nothing where the lines do not tell of it.
Manifest::LeftOut left_out_of(const Lines& lines, const std::string& file) {
  Manifest::LeftOut left_out;
  const auto all = lines.all("left_out");
  if (all.empty()) return left_out;
  const auto words = words_of(all.front());
  if (all.size() != 1 || words.size() != 2)
    refuse(file, "a line about memory that was left out that makes no sense");
  lines.read(words[0], left_out.ranges, "left_out");
  lines.read(words[1], left_out.bytes, "left_out");
  return left_out;
}

Manifest::Part part_of(std::string_view line, const Lines& lines, const std::string& file) {
  const std::vector<std::string_view> words = words_of(line);
  if (words.size() != 4) refuse(file, "a line about a part that has not four words");
  Manifest::Part part;
  part.name = words[0];
  if (part.name.find('/') != std::string::npos) refuse(file, "a part that lies elsewhere");
  lines.read(words[1], part.bytes, "part");
  lines.read(words[2], part.memory_bytes, "part");
  lines.read(words[3], part.checksum, "part");
  return part;
}

Manifest::Option option_of(std::string_view line, const std::string& file) {
  const std::vector<std::string_view> words = words_of(line);
  if (words.size() != 2) refuse(file, "a line about an option that has not two words");
  return {std::string(words[0]), std::string(words[1])};
}

/// The checksum says that nobody has changed it, not that it makes sense.
void require_sense(const Manifest& manifest, const std::string& file) {
  if (manifest.command.empty() || manifest.parts.empty())
    refuse(file, "names no program, or no part");
  if (manifest.ranks == 0 || manifest.processes == 0 || manifest.nodes == 0 ||
      manifest.layout.segment_base == 0 || manifest.layout.segment_bytes == 0 ||
      manifest.layout.stack_bytes == 0)
    refuse(file, "tells of no ranks, or of ranks without memory");
  // Each process of several nodes has two parts, and one that was lost none.
  const auto count = [&](std::string_view begin) {
    return std::ranges::count_if(
        manifest.parts, [&](const Manifest::Part& part) { return part.name.starts_with(begin); });
  };
  const std::int64_t segments = count("ranks-"), expected = manifest.nodes == 1
                                                                ? std::int64_t{manifest.processes}
                                                                : std::int64_t{count("control-")};
  if (segments != expected)
    refuse(file,
           fmt::format("names {} parts with memory where {} were written", segments, expected));
}

/// The text without its last line, which it agrees with.
std::string_view checked(std::string_view text, const std::string& name) {
  if (!text.starts_with(Manifest::title)) refuse(name, "is not the manifest of a checkpoint");
  const std::size_t last = text.rfind(last_name);
  if (last == std::string_view::npos || last == 0 || text[last - 1] != '\n' || text.back() != '\n')
    refuse(name, "is cut off: the line with its checksum is missing");
  const std::string expected =
      fmt::format("{}{:#018x}\n", last_name, base::checksum(text.data(), last));
  if (text.substr(last) != expected) refuse(name, "is damaged: its checksum is another one");
  text = text.substr(0, last);
  return text.substr(text.find('\n') + 1);
}

}  // namespace

std::string Manifest::text() const {
  std::string text = fmt::format("{}\n", title);
  const auto add = [&](const char* name, const auto& value) {
    text += fmt::format("{} {}\n", name, value);
  };
  const auto add_hex = [&](const char* name, std::uint64_t value) {
    text += fmt::format("{} {:#x}\n", name, value);
  };
  add("version", version);
  add("number", number);
  add_hex("id", id);
  add("written_at", written_at);
  add("ranks", ranks);
  add("processes", processes);
  add("nodes", nodes);
  add_hex("band_base", layout.segment_base);  // deprecated name: the format keeps it
  add("band_bytes", layout.segment_bytes);    // deprecated name: the format keeps it
  add("stack_bytes", layout.stack_bytes);
  add("slot_bytes", layout.slot_bytes);
  add("check_full", check_full ? 1 : 0);
  add("through", through);
  add("restarts", restarts);
  add_hex("addresses", addresses);
  add("program_build", builds.program);
  add("library_build", builds.library);
  add("secrets", secrets);
  add("folder", one_line(folder));
  for (const std::string& word : command) add("word", one_line(word));
  for (const Option& option : options)
    text += fmt::format("option {} {}\n", option.name, option.value);
  if (!before.name.empty()) text += fmt::format("before {} {:#x}\n", before.name, before.checksum);
  if (left_out != LeftOut{})
    text += fmt::format("left_out {} {}\n", left_out.ranges, left_out.bytes);
  for (const Part& part : parts)
    text += fmt::format("part {} {} {} {:#x}\n", part.name, part.bytes, part.memory_bytes,
                        part.checksum);
  return text + fmt::format("{}{:#018x}\n", last_name, base::checksum(text.data(), text.size()));
}

Manifest Manifest::parse(const std::string& text, const std::string& name) {
  const Lines lines(checked(text, name), name);
  Manifest manifest;
  lines.number("version", manifest.version);
  if (manifest.version != expected_version)
    refuse(name, fmt::format("has version {} of the layout; this Armature knows {}",
                             manifest.version, expected_version));
  std::uint32_t check_full = 0;
  lines.number("number", manifest.number);
  lines.number("id", manifest.id);
  manifest.written_at = lines.text("written_at");
  lines.number("ranks", manifest.ranks);
  lines.number("processes", manifest.processes);
  lines.number("nodes", manifest.nodes);
  Manifest::Layout& layout = manifest.layout;
  lines.number("band_base", layout.segment_base);    // deprecated name: the format keeps it
  lines.number("band_bytes", layout.segment_bytes);  // deprecated name: the format keeps it
  lines.number("stack_bytes", layout.stack_bytes);
  lines.number("slot_bytes", layout.slot_bytes);
  lines.number("check_full", check_full);
  manifest.check_full = check_full != 0;
  lines.number("through", manifest.through);
  lines.number("restarts", manifest.restarts);
  lines.number("addresses", manifest.addresses);
  manifest.builds.program = lines.text("program_build");
  manifest.builds.library = lines.text("library_build");
  manifest.secrets = lines.text("secrets");
  manifest.folder = from_one_line(lines.text("folder"));
  for (const auto word : lines.all("word")) manifest.command.push_back(from_one_line(word));
  for (const auto line : lines.all("option")) manifest.options.push_back(option_of(line, name));
  manifest.before = before_of(lines, name);
  manifest.left_out = left_out_of(lines, name);
  for (const auto line : lines.all("part")) manifest.parts.push_back(part_of(line, lines, name));
  require_sense(manifest, name);
  return manifest;
}

std::uint64_t Manifest::checksum_of(const std::string& text) {
  return base::checksum(text.data(), text.size());
}

std::uint64_t Manifest::memory_bytes() const {
  std::uint64_t sum = 0;
  for (const Part& part : parts) sum += part.memory_bytes;
  return sum;
}

std::uint64_t Manifest::file_bytes() const {
  std::uint64_t sum = 0;
  for (const Part& part : parts) sum += part.bytes;
  return sum;
}

}  // namespace armature::checkpoints
