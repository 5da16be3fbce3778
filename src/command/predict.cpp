// `armature predict`: a program's time on machines that are not there.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/fail.hpp"
#include "command/commands.hpp"
#include "command/numbers.hpp"
#include "command/predict/points.hpp"
#include "space/layout.hpp"
#include "transport/network_costs.hpp"

namespace armature::command {
namespace {

using predict::Point;

constexpr const char* footer = R"(
Each number of ranks is simulated three times: as it is, without latency, overhead and gap, and with a bandwidth of
1 TB/s. What that saves is shown, and what limits the program: the largest of a rank's work, imbalance, latency and
bandwidth. The growth curves are drawn into PROGRAM-growth.svg. COSTS are those of `armature run --network`.

Options may also stand behind the program, --ranks first; a -- ends them there.

Examples:
  armature predict ./prog --ranks 64,1024,16384
  armature predict --ranks 16,256 --network latency=2us,bandwidth=25GB/s --output growth.svg ./prog 1000)";

struct Options {
  std::vector<std::uint32_t> ranks = {16, 64, 256, 1024};
  std::string network = "latency=1us,overhead=200ns,gap=200ns,bandwidth=10GB/s";
  std::string output;
};

/// The words behind the options.
std::vector<std::string>& program_to_predict() {
  static std::vector<std::string> words;
  return words;
}

std::vector<std::uint32_t> parse_ranks(const std::string& text) {
  std::vector<std::uint32_t> ranks;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    ranks.push_back(static_cast<std::uint32_t>(
        parse_count("--ranks", text.substr(at, end - at), 1, space::ranks_max)));
    at = end + 1;
  }
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) base::fail(Errc::start, fmt::format("predict: {} cannot be written", path));
}

/// The folder of the command may be one in which nobody may write: the table has told it all, then.
void draw(const Options& options, const std::string& program, const std::vector<Point>& points) {
  const std::string text = predict::draw(points, fmt::format("{}, {}", program, options.network));
  if (!options.output.empty()) return write(options.output, text);
  const std::string path = std::filesystem::path(program).filename().string() + "-growth.svg";
  try {
    write(path, text);
    fmt::print(stderr, "drawn into {} (--output FILE: elsewhere)\n", path);
  } catch (const Error& error) {
    fmt::print(stderr, "{}: --output FILE draws elsewhere\n", error.what());
  }
}

void show(const Options& options, const std::vector<std::string>& words) {
  fmt::print("{:>8} {:>12} {:>12} {:>12} {:>12} {:>12} {:>12}  limited by\n", "ranks", "time_s",
             "work_s", "imbalance_s", "latency_s", "bandwidth_s", "messages");
  std::vector<Point> points;
  for (const std::uint32_t ranks : options.ranks) {
    const Point point = predict::predict({words, options.network}, ranks);
    fmt::print("{:>8} {:>12.6g} {:>12.6g} {:>12.6g} {:>12.6g} {:>12.6g} {:>12}  {}\n", point.ranks,
               point.time_s, point.work_s, point.imbalance_s, point.latency_s, point.bandwidth_s,
               point.messages, point.limit());
    (void)std::fflush(stdout);
    points.push_back(point);
  }
  draw(options, words.front(), points);
}

bool is_option(const std::string& word, std::string_view name) {
  return word == name || (word.starts_with(name) && word.substr(name.size()).starts_with('='));
}

/// The end of the options that stand behind the program. It has options of its own, which may have
/// the same names: --ranks comes first, and does not stand before the program, too.
std::size_t end_of_options_behind(const std::vector<std::string>& words, std::size_t program) {
  constexpr std::array<std::string_view, 3> names = {"--ranks", "--network", "--output"};
  std::size_t at = program + 1;
  if (at >= words.size() || !is_option(words[at], names.front())) return at;
  for (std::size_t before = 1; before < program; ++before)
    if (is_option(words[before], names.front())) return at;
  while (at < words.size() && std::ranges::any_of(names, [&](std::string_view name) {
           return is_option(words[at], name);
         }))
    at += words[at].find('=') != std::string::npos ? 1 : 2;
  return std::min(at, words.size());
}

}  // namespace

void split_off_predicted(std::vector<std::string>& words) {
  std::size_t at = 1;
  while (at < words.size() && words[at] != "--" && words[at].size() > 1 && words[at][0] == '-') {
    const bool is_alone =
        words[at].find('=') != std::string::npos || words[at] == "--help" || words[at] == "-h";
    at += is_alone ? 1 : 2;
  }
  if (at >= words.size()) return;
  const auto from = [&](std::size_t word) {
    return words.begin() + static_cast<std::ptrdiff_t>(word);
  };
  std::vector<std::string>& predicted = program_to_predict();
  if (words[at] == "--") {
    predicted.assign(from(at + 1), words.end());
    words.resize(at);
    return;
  }
  const std::size_t behind = end_of_options_behind(words, at);
  const bool is_ended = behind > at + 1 && behind < words.size() && words[behind] == "--";
  predicted = {words[at]};
  predicted.insert(predicted.end(), from(is_ended ? behind + 1 : behind), words.end());
  words.resize(behind);
  words.erase(from(at));
}

void add_predict(CLI::App& app) {
  auto* command = app.add_subcommand("predict", "How long a program takes on many ranks");
  // Added for the help text alone: split_off_predicted has taken it out.
  command->add_option("PROGRAM", "What to predict, with its arguments behind it")->type_name("");
  command->footer(footer);
  auto options = std::make_shared<Options>();
  command
      ->add_option_function<std::string>(
          "--ranks", [options](const std::string& text) { options->ranks = parse_ranks(text); },
          "Numbers of ranks (default 16,64,256,1024)")
      ->type_name("N,...");
  command
      ->add_option_function<std::string>(
          "--network",
          [options](const std::string& text) {
            (void)transport::parse_network_costs(text);
            options->network = text;
          },
          fmt::format("What messages cost (default {})", options->network))
      ->type_name("COSTS");
  command
      ->add_option_function<std::string>(
          "--output",
          [options](const std::string& text) { options->output = parse_name("--output", text); },
          "Draw growth curves into this file, as SVG (default PROGRAM-growth.svg)")
      ->type_name("FILE");
  command->callback([options] {
    if (program_to_predict().empty())
      throw CLI::ValidationError("no program", "what shall be predicted?");
    show(*options, program_to_predict());
  });
}

}  // namespace armature::command
