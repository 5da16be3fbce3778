#include "command/trace/perfetto.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace armature::command {
namespace {

using Kind = wait::TraceEvent::Kind;

TracedEvent sent(std::uint64_t ns) {
  return {{.kind = Kind::sent, .rank = 0, .other = 1, .begin_ns = ns, .number = 7}, 0};
}
TracedEvent executed(std::uint64_t ns) {
  return {{.kind = Kind::executed, .rank = 1, .other = 0, .begin_ns = ns, .number = 7}, 1};
}

/// The arrows of calls, as the times of their two ends.
std::vector<std::pair<double, double>> arrows(std::vector<TracedEvent> events) {
  char* text = nullptr;
  std::size_t bytes = 0;
  std::FILE* const file = open_memstream(&text, &bytes);
  TracedNames names(-1);
  EXPECT_EQ(write_for_perfetto(file, {.events = std::move(events)}, names), 0);
  (void)std::fclose(file);
  const auto json = nlohmann::json::parse(std::string(text, bytes));
  std::free(text);
  std::vector<std::pair<double, double>> found;
  for (const auto& event : json["traceEvents"]) {
    if (event["ph"] == "s") found.emplace_back(event["ts"], -1);
    if (event["ph"] == "f") found.back().second = event["ts"];
  }
  return found;
}

using Arrows = std::vector<std::pair<double, double>>;

TEST(Perfetto, a_call_is_an_arrow_from_its_sender_to_its_receiver) {
  EXPECT_EQ(arrows({executed(5000), sent(2000)}), (Arrows{{2, 5}}));
  EXPECT_EQ(arrows({sent(2000)}), Arrows{});
  EXPECT_EQ(arrows({executed(5000)}), Arrows{});
}

TEST(Perfetto, clocks_that_differ_lose_no_arrow) {
  EXPECT_EQ(arrows({executed(2000), sent(5000)}), (Arrows{{5, 5}}));
}

TEST(Perfetto, a_call_that_was_made_again_is_another_arrow) {
  EXPECT_EQ(arrows({executed(9000), sent(2000), sent(8000), executed(3000)}),
            (Arrows{{2, 3}, {8, 9}}));
  EXPECT_EQ(arrows({sent(2000), sent(8000), executed(9000)}), (Arrows{{8, 9}}));
  EXPECT_EQ(arrows({sent(2000), sent(8000), executed(3000)}), (Arrows{{2, 3}}));
}

}  // namespace
}  // namespace armature::command
