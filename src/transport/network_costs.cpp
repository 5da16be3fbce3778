#include "transport/network_costs.hpp"

#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "base/fail.hpp"

namespace armature::transport {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};
constexpr Unit times[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
constexpr Unit rates[] = {{"B/s", 1}, {"KB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}};
constexpr Unit numbers[] = {{"", 1}};

template <std::size_t count>
std::optional<double> parse_quantity(std::string_view text, const Unit (&units)[count]) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number) || number < 0) return std::nullopt;
  const std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  for (const Unit& unit : units)
    if (rest == unit.name) return number * unit.factor;
  return std::nullopt;
}

[[noreturn]] void refuse(std::string_view key, std::string_view value, const char* what) {
  base::fail(Errc::start, fmt::format("--network: {}={} is not possible: {}", key, value, what));
}

constexpr double time_max_s = 1000;

double parse_time(std::string_view key, std::string_view value) {
  const std::optional<double> time = parse_quantity(value, times);
  if (!time || *time > time_max_s)
    refuse(key, value, "a time is wanted, 0s to 1000s, as in 500ns, 1.5us, 2ms or 1s");
  return *time;
}

double parse_rate(std::string_view key, std::string_view value) {
  constexpr double least = 1e3, most = 1e12;
  const std::optional<double> rate = parse_quantity(value, rates);
  if (!rate || *rate < least || *rate > most)
    refuse(key, value, "a bandwidth is wanted, 1KB/s to 1TB/s, as in 100MB/s or 12.5GB/s");
  return *rate;
}

/// False where there is no such key.
bool set_level(LogGP& level, std::string_view key, std::string_view name, std::string_view value) {
  if (name == "latency")
    level.latency_s = parse_time(key, value);
  else if (name == "overhead")
    level.overhead_s = parse_time(key, value);
  else if (name == "gap")
    level.gap_s = parse_time(key, value);
  else if (name == "bandwidth")
    level.byte_s = 1 / parse_rate(key, value);
  else
    return false;
  return true;
}

void set(NetworkCosts& costs, std::string_view key, std::string_view value) {
  constexpr std::string_view on_node = "node-";
  if (key == "node") {
    constexpr double most = 1 << 20;
    const std::optional<double> ranks = parse_quantity(value, numbers);
    if (!ranks || *ranks < 1 || *ranks > most || *ranks != std::floor(*ranks))
      refuse(key, value, "a number of ranks is wanted, 1 to 1048576");
    costs.ranks_per_node = static_cast<std::uint32_t>(*ranks);
    return;
  }
  if (key == "measured") {
    const std::optional<double> times_as_much = parse_quantity(value, numbers);
    if (!times_as_much || *times_as_much > 1e6)
      refuse(key, value, "a factor is wanted, 0 to 1000000");
    costs.measured = *times_as_much;
    return;
  }
  const bool is_set = key.starts_with(on_node)
                          ? set_level(costs.on_node, key, key.substr(on_node.size()), value)
                          : set_level(costs.between_nodes, key, key, value);
  if (!is_set)
    base::fail(Errc::start,
               fmt::format("--network: there is no '{}': there are latency, overhead, gap and "
                           "bandwidth, each also with node- before it, node and measured",
                           key));
}

}  // namespace

NetworkCosts parse_network_costs(std::string_view text) {
  NetworkCosts costs;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::string_view one = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t equals = one.find('=');
    if (equals == std::string_view::npos)
      base::fail(Errc::start, fmt::format("--network: '{}' has no '=': NAME=VALUE is wanted, as in "
                                          "latency=1us,bandwidth=10GB/s",
                                          one));
    set(costs, one.substr(0, equals), one.substr(equals + 1));
  }
  return costs;
}

}  // namespace armature::transport
