#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

#include "bench/suite.hpp"

// `armature bench net`: operations between two nodes beside a plain TCP connection.

namespace armature::bench {

namespace {

constexpr std::size_t mebi = std::size_t{1} << 20;

constexpr Aim aims[] = {
    {.op = "net.put", .bytes = 8, .ratio_max = 1.4},
    {.op = "net.get", .bytes = 8, .ratio_max = 1.4},
    {.op = "net.fadd", .bytes = 8, .ratio_max = 1.4},
    {.op = "net.rpc", .bytes = 0, .ratio_max = 1.4},
    {.op = "net.rpc.oneway", .bytes = 8, .ns_max = 150},
    {.op = "net.nbput1000", .bytes = 8, .ns_max = 150},
    {.op = "net.get2d", .bytes = 32768, .ratio_max = 1.3},
    {.op = "net.get2d", .bytes = 2 * mebi, .ratio_max = 1.3},
    {.op = "net.put.busy", .bytes = 8, .ns_max = 100'000},
    {.op = "net.get.busy", .bytes = 8, .ns_max = 100'000},
    {.op = "net.acc.busy", .bytes = 8, .ns_max = 100'000},
    {.op = "net.fadd.busy", .bytes = 8, .ns_max = 100'000},
    {.op = "net.broadcast", .bytes = mebi, .ratio_max = 1.5},
    {.op = "net.broadcast", .bytes = 16 * mebi, .ratio_max = 1.5},
    {.op = "net.alltoall", .bytes = mebi, .ratio_max = 1.5},
    {.op = "net.alltoall", .bytes = 16 * mebi, .ratio_max = 1.5},
    {.op = "net.compute", .bytes = 8, .ratio_max = 1.02},
    {.op = "net.overlap", .bytes = mebi, .ratio_max = 0.1},
    {.op = "net.overlap.twice", .bytes = mebi, .ratio_max = 0.1},
    {.op = "net.overlap.put", .bytes = mebi, .ratio_max = 0.1},
    {.op = "net.overlap.acc", .bytes = mebi, .ratio_max = 0.1},
    {.op = "net.issue.put", .bytes = 2 * mebi, .ns_max = 20'000},
    {.op = "net.issue.acc", .bytes = 2 * mebi, .ns_max = 20'000},
    {.op = "net.issue.getv", .bytes = 2 * mebi, .ns_max = 20'000},
};

void collect(Collector& collector) {
  collector.job({.ranks = collector.nodes(), .nodes = collector.nodes()}, "net");
}

/// How much faster ours are than the engine's own of 1 MiB.
std::string beside_native(const std::vector<Row>& rows) {
  const auto find = [&](std::string_view op) {
    return std::ranges::find_if(rows, [&](const Row& r) { return r.op == op && r.bytes == mebi; });
  };
  std::string text;
  for (const std::string kind : {"put", "get"}) {
    const std::string ours = "net." + kind, theirs = "ucx." + kind;
    const auto our = find(ours), their = find(theirs);
    if (our == rows.end() || their == rows.end()) continue;
    char line[160];
    std::snprintf(line, sizeof line, "%s of 1 MiB: %.2f times as fast as %s (aim: 2 for put)\n",
                  ours.c_str(), their->ns / our->ns, theirs.c_str());
    text += line;
  }
  return text;
}

constexpr const char* footer =
    R"(Rows (time in ns of one operation of rank 0 on rank 1, on nodes that are pretended on this
machine and speak over its loopback):
  net.put net.acc    with a fence: remotely complete
  net.get net.fadd
  net.rpc            a question: an empty method, there and back
  net.rpc.oneway     one of 1000 statements without a pause, executed
  net.nbput1000      one of 1000 non-blocking puts, remotely complete
  net.nbget1000      one of 1000 non-blocking gets
  net.put2d net.get2d   64x64 and 512x512 doubles of a matrix of 1024 doubles a row; the limit is a
                     contiguous put or get of as many bytes
  net.broadcast net.scatter net.gather net.alltoall   among one rank on each node; bytes: of the
                     longer buffer of a rank, in global memory; .private: outside it. Limit: gets of
                     what each rank needs, between barriers
  ucx.put ucx.get    UCX's own, called by hand, both sides polling; put with a flush
  ucx.am             its active message, answered by another
  X.busy             while the target computes and never calls the library
  net.compute        what rank 1 computes in 20 ms, while a put a millisecond comes; the limit is
                     the same without puts
  net.compute.tcp    the same where a thread that sleeps on a TCP connection is asked as often
  net.overlap        what is left to wait for of a non-blocking get of 1 MiB after computing for
                     as long as it takes; the limit is the get: 0.1 means that 90 % are hidden.
                     Where all cores are in use, one carries both sides while the other computes,
                     which takes longer than the get does when nobody computes
  net.overlap.twice  the same after computing for twice as long
  net.overlap.put net.overlap.acc   the same of a put and of an accumulate, for twice as long
  net.issue.put net.issue.acc net.issue.getv   what the call takes that begins a non-blocking
                     transfer of 2 MiB; the limit is the whole transfer
  net.overlap.tcp    the same of as many bytes that one thread sends and another takes by TCP
  X.crowded          while a thread that has nothing to do with it computes on each of the two
                     cores: the mean; limit: asking a thread that sleeps on a TCP connection

Other limits: the same bytes there and back on a TCP connection between the same two processes that
both spin on, in turns with the operation. aim_ns: what Armature aims at.

Examples:
  armature bench net
  armature bench net --nodes 2 --json net.json
  armature bench net --quick --only net.put)";

}  // namespace

const Suite net_suite = {.name = "net",
                         .title = "Operations between two nodes against a TCP connection",
                         .footer = footer,
                         .collect = collect,
                         .aims = aims,
                         .notes = beside_native,
                         .nodes = {2, 2, "Nodes with a rank each: the rows are between two"}};

}  // namespace armature::bench
