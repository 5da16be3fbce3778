#include "bench/suite.hpp"

// `armature bench messages`: tagged messages beside what the machine allows.

namespace armature::bench {

namespace {

constexpr std::size_t mebi = std::size_t{1} << 20;

constexpr Aim aims[] = {
    {.op = "message", .bytes = 8, .ratio_max = 1.5},
    {.op = "message", .bytes = mebi, .ratio_max = 1.15},
    {.op = "message.threads", .bytes = 8, .ratio_max = 1.5},
    {.op = "message.threads", .bytes = mebi, .ratio_max = 1.15},
    {.op = "message.match.posted", .bytes = 10'000, .ns_max = 100},
    {.op = "message.match.unexpected", .bytes = 10'000, .ns_max = 100},
};

void collect(Collector& collector) {
  collector.job({.ranks = 2}, "messages");
  if (collector.wants({"message.threads", "message.private.threads"}))
    collector.job({.ranks = 2, .threads = 2}, "messages");
}

constexpr const char* footer =
    R"(Rows (time in ns; two ranks, each on a core of its own, which waits):
  message            send and receive, there and back, between memory in segments
  message.private    the same between memory that the other process cannot read
  X.threads          both ranks threads of one process
  message.match.posted, .unexpected
                     what matching takes of a message while so many receives, or messages, wait,
                     whose patterns say "any" now and then

The limit: a word there and a word back on cache lines of their own; for more than a word, behind
each a memcpy by who has been told, from the other's memory.

Examples:
  armature bench messages
  armature bench messages --quick --only message.match)";

}  // namespace

const Suite messages_suite = {.name = "messages",
                              .title = "Tagged messages against the limit of the machine",
                              .footer = footer,
                              .collect = collect,
                              .aims = aims,
                              .notes = nullptr};

}  // namespace armature::bench
