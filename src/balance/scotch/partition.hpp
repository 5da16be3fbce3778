#pragma once

#include <cstdint>

// The only door to Scotch. Plain pointers, because what is behind it is linked by itself: no name
// of Scotch, and no inline function of the standard library, leaves that object
// (cmake/ArmatureScotch.cmake).

namespace armature::balance::scotch {

/// Neighbours of vertex v are to[first[v]] up to to[first[v + 1]], each named by the other, too, at
/// the same weight; none is its own. All weights and loads are at least 1.
struct Graph {
  std::int64_t vertices = 0;
  const std::int64_t* first = nullptr;
  const std::int64_t* to = nullptr;
  const std::int64_t* weight = nullptr;
  const std::int64_t* load = nullptr;
};

/// Places 0 to groups * each - 1, `each` to a group. What lies in unlike groups is `far` times as
/// far apart as what lies at unlike places of one.
struct Places {
  std::int64_t groups = 1, each = 1, far = 1;
};

/// The vertices' places now, and the cost of moving one, in the unit of link weights.
struct Before {
  const std::int64_t* place = nullptr;
  const std::int64_t* move_cost = nullptr;
};

/// Places whose loads are equal up to `tolerance` (0.03: of 3 %) and which cut links as little as
/// can be, distance and moves counted in. Without `before.place` as if everything were new. The
/// same arguments give the same plan. False, and the plan is worth nothing, where Scotch could not.
/// It may need a lot of stack, and binds the calling thread: give it a thread of its own.
[[nodiscard]] bool partition(const Graph& graph, const Places& places, const Before& before,
                             double tolerance, std::int64_t* plan);

}  // namespace armature::balance::scotch
