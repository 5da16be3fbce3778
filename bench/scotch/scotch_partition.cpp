// scotch_partition PARTS VERTICES A,B,WEIGHT...: prints the least weight that a partition of the
// whole graph cuts, of some that Scotch makes. Parts differ by at most one vertex in twenty.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

// Scotch's header needs the types of the headers above.
#include <scotch.h>

namespace {

using Numbers = std::vector<SCOTCH_Num>;

struct Edge {
  SCOTCH_Num a = 0, b = 0, weight = 0;
};

SCOTCH_Num cut(const std::vector<Edge>& edges, const Numbers& part) {
  SCOTCH_Num sum = 0;
  for (const Edge& edge : edges)
    if (part[static_cast<std::size_t>(edge.a)] != part[static_cast<std::size_t>(edge.b)])
      sum += edge.weight;
  return sum;
}

}  // namespace

// A program that links with Scotch says what becomes of its errors.
extern "C" void SCOTCH_errorPrint(const char* text, ...) { std::fprintf(stderr, "%s\n", text); }
extern "C" void SCOTCH_errorPrintW(const char* text, ...) { std::fprintf(stderr, "%s\n", text); }

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const auto parts = static_cast<SCOTCH_Num>(std::atol(argv[1]));
  const auto vertices = static_cast<SCOTCH_Num>(std::atol(argv[2]));
  std::vector<Edge> edges;
  std::vector<std::vector<std::pair<SCOTCH_Num, SCOTCH_Num>>> rows(
      static_cast<std::size_t>(vertices));
  for (int i = 3; i < argc; ++i) {
    long a = 0, b = 0, weight = 0;
    if (std::sscanf(argv[i], "%ld,%ld,%ld", &a, &b, &weight) != 3) return 2;
    if (a < 0 || b < 0 || a >= vertices || b >= vertices || weight < 1) return 2;
    edges.push_back(
        {static_cast<SCOTCH_Num>(a), static_cast<SCOTCH_Num>(b), static_cast<SCOTCH_Num>(weight)});
    rows[static_cast<std::size_t>(a)].emplace_back(b, weight);
    rows[static_cast<std::size_t>(b)].emplace_back(a, weight);
  }
  Numbers first{0}, to, weights, part(static_cast<std::size_t>(vertices));
  for (const auto& row : rows) {
    for (const auto& [other, weight] : row) {
      to.push_back(other);
      weights.push_back(weight);
    }
    first.push_back(static_cast<SCOTCH_Num>(to.size()));
  }
  SCOTCH_Graph graph;
  SCOTCH_graphInit(&graph);
  if (SCOTCH_graphBuild(&graph, 0, vertices, first.data(), nullptr, nullptr, nullptr,
                        static_cast<SCOTCH_Num>(to.size()), to.data(), weights.data()) != 0)
    return 1;
  SCOTCH_Num least = -1;
  for (int trial = 0; trial < 20; ++trial) {
    SCOTCH_Strat strat;
    SCOTCH_stratInit(&strat);
    if (SCOTCH_stratGraphMapBuild(&strat, SCOTCH_STRATQUALITY, parts, 0.05) == 0 &&
        SCOTCH_graphPart(&graph, parts, &strat, part.data()) == 0) {
      const SCOTCH_Num found = cut(edges, part);
      least = least < 0 || found < least ? found : least;
    }
    SCOTCH_stratExit(&strat);
  }
  SCOTCH_graphExit(&graph);
  if (least < 0) return 1;
  std::printf("%lld\n", static_cast<long long>(least));
  return 0;
}
