#include "bench/suite.hpp"

// `armature bench net`: operations between two nodes beside a plain TCP connection.

namespace armature::tools::bench {

namespace {

constexpr Aim aims[] = {
    {.op = "net.put", .bytes = 8, .ratio_max = 1.4},
    {.op = "net.get", .bytes = 8, .ratio_max = 1.4},
    {.op = "net.fetch_add", .bytes = 8, .ratio_max = 1.4},
    {.op = "net.rpc", .bytes = 0, .ratio_max = 1.4},
    {.op = "net.rpc.oneway", .bytes = 8, .ns_max = 150},
    {.op = "net.put.nbi", .bytes = 8, .ns_max = 150},
    {.op = "net.put.busy", .bytes = 8, .ns_max = 100'000},
    {.op = "net.get.busy", .bytes = 8, .ns_max = 100'000},
    {.op = "net.acc.busy", .bytes = 8, .ns_max = 100'000},
    {.op = "net.fetch_add.busy", .bytes = 8, .ns_max = 100'000},
};

void collect(Collector& collector) { collector.job({.ranks = 2, .nodes = 2}, "net"); }

constexpr const char* footer =
    R"(Rows (time in ns of one operation of rank 0 on rank 1, on two nodes that are pretended on this
machine and speak over its loopback):
  net.put net.acc    with a fence: remotely complete
  net.get net.fetch_add
  net.get.patch      rows of a matrix of 1024 doubles a row; compare with net.get of as many bytes
  net.rpc            a question: an empty method, there and back
  net.rpc.oneway     one of 1000 statements without a pause, executed
  net.put.nbi        one of 1000 non-blocking puts, remotely complete
  X.busy             while the target computes and never calls the library

The limit: the same bytes there and back on a TCP connection between the same two processes that
both spin on, in turns with the operation. aim_ns: what Armature aims at.

Examples:
  armature bench net
  armature bench net --quick --only net.put)";

}  // namespace

const Suite net_suite = {.name = "net",
                         .title = "Operations between two nodes against a TCP connection",
                         .footer = footer,
                         .collect = collect,
                         .aims = aims,
                         .notes = nullptr};

}  // namespace armature::tools::bench
