// Pictures are SVG inside of a page: a browser shows them without a network, and a tool that knows
// neither scripts nor styles still shows the numbers in their titles.
#include "command/trace/picture.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "command/trace/loads.hpp"
#include "command/trace/perfetto.hpp"

namespace armature::command {
namespace {

using Kind = wait::TraceEvent::Kind;

constexpr std::size_t rows_max = 256, intervals = 160, cells_max = 128;
constexpr double left = 60, below = 24;

std::string svg(double width, double height, const std::string& inside) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" "
      "width=\"{:.0f}\" font-family=\"sans-serif\" font-size=\"11\">\n{}</svg>\n",
      width, height, width, inside);
}

std::string text_at(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     text);
}

/// 0: white, 1: the colour.
std::string shade(double part, int red, int green, int blue) {
  const auto mix = [part](int of) { return 255 - static_cast<int>(part * (255 - of)); };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(red), mix(green), mix(blue));
}

std::string cell(double x, double y, double width, double height, const std::string& colour,
                 const std::string& title) {
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\">"
      "<title>{}</title></rect>\n",
      x, y, width, height, colour, title);
}

/// "rank 3", "ranks 4 to 7"
std::string ranks_of(std::size_t group, std::size_t by, std::size_t ranks) {
  const std::size_t first = group * by, last = std::min(first + by, ranks) - 1;
  return first == last ? fmt::format("rank {}", first) : fmt::format("ranks {} to {}", first, last);
}

/// The mean of some rows.
std::vector<double> mean(const Loads& loads, std::size_t first, std::size_t count) {
  std::vector<double> sum(intervals);
  const std::size_t last = std::min(first + count, loads.of_ranks.size());
  for (std::size_t rank = first; rank < last; ++rank)
    for (std::size_t i = 0; i < intervals; ++i) sum[i] += loads.of_ranks[rank][i];
  for (double& value : sum) value /= static_cast<double>(last - first);
  return sum;
}

/// A row of cells; neighbours of one shade are one.
std::string row_of(const std::vector<double>& loads, double y, double height,
                   const std::string& whose) {
  constexpr double width = 5;
  std::string cells;
  for (std::size_t i = 0; i < loads.size();) {
    const auto percent = std::lround(loads[i] * 20) * 5;
    std::size_t end = i + 1;
    while (end < loads.size() && std::lround(loads[end] * 20) * 5 == percent) ++end;
    cells += cell(left + static_cast<double>(i) * width, y, static_cast<double>(end - i) * width,
                  height, shade(static_cast<double>(percent) / 100, 0x20, 0x70, 0xb0),
                  fmt::format("{}: {} %", whose, percent));
    i = end;
  }
  return cells;
}

std::string load_picture(const Recorded& recorded) {
  const Loads loads = loads_over_time(recorded, intervals);
  const std::size_t ranks = loads.of_ranks.size();
  if (ranks == 0) return "<p>Nothing has been recorded.</p>\n";
  const std::size_t by = (ranks + rows_max - 1) / rows_max, rows = (ranks + by - 1) / by;
  const double height = rows <= 32 ? 14 : 4, width = left + 5.0 * intervals + 10;
  std::string inside;
  for (std::size_t row = 0; row < rows; ++row) {
    const double y = height * static_cast<double>(row);
    inside += row_of(mean(loads, row * by, by), y, height - (rows <= 32 ? 2 : 0),
                     ranks_of(row, by, ranks));
    if (rows <= 32 || row % 16 == 0)
      inside += text_at(left - 6, y + 10, "end", std::to_string(row * by));
  }
  const double bottom = height * static_cast<double>(rows);
  const auto ms = [&](std::uint64_t ns) {
    return fmt::format("{:.3f} ms", static_cast<double>(ns - recorded.began_ns) * 1e-6);
  };
  inside += text_at(left, bottom + 16, "start", ms(loads.begin_ns));
  inside += text_at(width - 10, bottom + 16, "end", ms(loads.end_ns));
  return svg(width, bottom + below, inside);
}

/// `unit`: what a number counts, "calls".
std::string matrix_picture(const Matrix& whole, const char* verb, const char* unit) {
  const std::size_t ranks = whole.ranks();
  const std::size_t by = (ranks + cells_max - 1) / cells_max;
  const Matrix matrix = whole.in_groups(by);
  const double most = matrix.most(),
               side = std::clamp(480.0 / static_cast<double>(matrix.ranks()), 4.0, 24.0);
  std::string inside;
  for (std::size_t from = 0; from < matrix.ranks(); ++from) {
    const double y = below + side * static_cast<double>(from);
    for (std::size_t to = 0; to < matrix.ranks(); ++to) {
      const double value = matrix.at(from, to);
      if (value <= 0) continue;
      // The square root shows small numbers beside large ones.
      inside += cell(left + side * static_cast<double>(to), y, side, side,
                     shade(0.1 + 0.9 * std::sqrt(value / most), 0xb0, 0x30, 0x20),
                     fmt::format("{} {} {}: {:.6g} {}", ranks_of(from, by, ranks), verb,
                                 ranks_of(to, by, ranks), value, unit));
    }
    if (side >= 12 || from % 16 == 0) {
      inside += text_at(left - 6, y + side / 2 + 4, "end", std::to_string(from * by));
      inside += text_at(left + side * (static_cast<double>(from) + 0.5), below - 6, "middle",
                        std::to_string(from * by));
    }
  }
  const double size = side * static_cast<double>(matrix.ranks());
  inside += fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" "
      "stroke=\"#888\"/>\n",
      left, below, size, size);
  return svg(left + size + 20, below + size + 10, inside);
}

std::string phases_table(const Recorded& recorded, TracedNames& names) {
  struct Sum {
    std::uint64_t count = 0, ns = 0, longest_ns = 0;
  };
  std::map<std::string, Sum> phases;
  for (const TracedEvent& event : recorded.events) {
    if (event.kind != Kind::phase) continue;
    Sum& sum = phases[names.at(event.what, "phase")];
    const std::uint64_t ns = event.end_ns - event.begin_ns;
    ++sum.count;
    sum.ns += ns;
    sum.longest_ns = std::max(sum.longest_ns, ns);
  }
  if (phases.empty()) return "";
  std::string table =
      "<h2>Phases of the program</h2>\n<table><tr><th>phase</th><th>times</th><th>together, "
      "ms</th><th>longest, ms</th></tr>\n";
  for (const auto& [name, sum] : phases)
    table += fmt::format("<tr><td>{}</td><td>{}</td><td>{:.3f}</td><td>{:.3f}</td></tr>\n",
                         escaped_for_html(name), sum.count, static_cast<double>(sum.ns) * 1e-6,
                         static_cast<double>(sum.longest_ns) * 1e-6);
  return table + "</table>\n";
}

}  // namespace

std::string escaped_for_html(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '&')
      safe += "&amp;";
    else if (c == '"')
      safe += "&quot;";
    else if (static_cast<unsigned char>(c) >= 32 || c == '\n')
      safe += c;
  }
  return safe;
}

std::string pictures(const Recorded& recorded, TracedNames& names) {
  constexpr std::size_t ranks_max = 4096;  // in a matrix
  std::string text =
      "<h2>Load over time</h2>\n<p>Dark: the rank computes. White: it waits, or nothing of it was "
      "recorded.</p>\n" +
      load_picture(recorded);
  const std::size_t ranks = ranks_in(recorded, ranks_max);
  if (const Matrix calls = calls_between(recorded, ranks); calls.most() > 0)
    text += "<h2>Calls</h2>\n<p>Rows: who called. Columns: who was called.</p>\n" +
            matrix_picture(calls, "to", "calls");
  if (const Matrix waits = waits_between(recorded, ranks); waits.most() > 0)
    text += "<h2>Waits</h2>\n<p>Rows: who waited. Columns: for whom.</p>\n" +
            matrix_picture(waits, "for", "s");
  text += phases_table(recorded, names);
  if (recorded.lost != 0)
    text += fmt::format("<p>{} earlier events had no room.</p>\n", recorded.lost);
  return text;
}

std::string page_of(const std::string& title, const std::string& body, double again_s) {
  const std::string again =
      again_s > 0
          ? fmt::format("<meta http-equiv=\"refresh\" content=\"{:.0f}\">\n", std::ceil(again_s))
          : "";
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n{}<title>{}</title>\n"
      "<style>body{{font-family:sans-serif;margin:1.5em;max-width:70em}}svg{{max-width:100%;"
      "height:auto}}td,th{{padding:.2em .8em;text-align:left}}td+td{{text-align:right}}"
      "pre{{overflow-x:auto}}</style></head>\n<body><h1>{}</h1>\n{}</body></html>\n",
      again, escaped_for_html(title), escaped_for_html(title), body);
}

int write_trace(std::FILE* file, const std::string& path, const Recorded& recorded,
                TracedNames& names) {
  if (!path.ends_with(".html")) return write_for_perfetto(file, recorded, names);
  const std::string page = page_of("What ranks did", pictures(recorded, names));
  const bool is_written =
      std::fwrite(page.data(), 1, page.size(), file) == page.size() && std::fflush(file) == 0;
  return is_written ? 0 : errno;
}

}  // namespace armature::command
