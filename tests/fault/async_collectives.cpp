// Every collective that returns at once, of few bytes or of many: they go along other trees.
#include <cstddef>
#include <span>
#include <vector>

#include "victim.hpp"

namespace {

using In = std::span<const double>;
using Out = std::span<double>;

constexpr std::size_t few = 10, many = 10'000;

/// The first elements of what a rank has, and so many for each rank.
In from(const Scene& s, std::size_t count) { return In(s.data).first(count); }
Out to(Scene& s, std::size_t count) { return Out(s.data).first(count); }
In from_each(const Scene& s, std::size_t count) { return In(s.data).first(count * size_of(s)); }
Out to_each(Scene& s, std::size_t count) { return Out(s.all).first(count * size_of(s)); }
std::vector<std::size_t> blocks(const Scene& s, std::size_t count) {
  return std::vector<std::size_t>(size_of(s), count);
}

template <std::size_t count>
const std::vector<Call>& reductions(const char* const (&names)[4]) {
  static const std::vector<Call> calls = {
      {names[0], [](Scene& s) { reduce_async(s.world, to(s, count), 0).wait(); }},
      {names[1], [](Scene& s) { allreduce_async(s.world, to(s, count)).wait(); }},
      {names[2], [](Scene& s) { scan_async(s.world, to(s, count)).wait(); }},
      {names[3], [](Scene& s) { exclusive_scan_async(s.world, to(s, count), 0.0).wait(); }},
  };
  return calls;
}

template <std::size_t count>
const std::vector<Call>& moves(const char* const (&names)[5]) {
  static const std::vector<Call> calls = {
      {names[0], [](Scene& s) { broadcast_async(s.world, to(s, count), victim_rank).wait(); }},
      {names[1],
       [](Scene& s) { gather_async(s.world, from(s, count), to_each(s, count), 0).wait(); }},
      {names[2],
       [](Scene& s) {
         scatter_async(s.world, from_each(s, count), Out(s.all).first(count), victim_rank).wait();
       }},
      {names[3],
       [](Scene& s) { allgather_async(s.world, from(s, count), to_each(s, count)).wait(); }},
      {names[4],
       [](Scene& s) { alltoall_async(s.world, from_each(s, count), to_each(s, count)).wait(); }},
  };
  return calls;
}

template <std::size_t count>
const std::vector<Call>& moves_of_blocks(const char* const (&names)[5]) {
  static const std::vector<Call> calls = {
      {names[0],
       [](Scene& s) {
         gatherv_async(s.world, from(s, count), to_each(s, count), blocks(s, count), 0).wait();
       }},
      {names[1],
       [](Scene& s) {
         scatterv_async(s.world, from_each(s, count), blocks(s, count), Out(s.all).first(count),
                        victim_rank)
             .wait();
       }},
      {names[2],
       [](Scene& s) {
         allgatherv_async(s.world, from(s, count), to_each(s, count), blocks(s, count)).wait();
       }},
      {names[3],
       [](Scene& s) {
         alltoallv_async(s.world, from_each(s, count), blocks(s, count), to_each(s, count),
                         blocks(s, count))
             .wait();
       }},
      {names[4],
       [](Scene& s) {
         reduce_scatter_async(s.world, from_each(s, count), Out(s.all).first(count),
                              blocks(s, count))
             .wait();
       }},
  };
  return calls;
}

std::vector<Call> everything() {
  std::vector<Call> all = {{"barrier_async", [](Scene& s) { barrier_async(s.world).wait(); }}};
  for (const std::vector<Call>* const some :
       {&reductions<few>({"reduce_async", "allreduce_async", "scan_async", "exclusive_scan_async"}),
        &reductions<many>({"reduce_async_large", "allreduce_async_large", "scan_async_large",
                           "exclusive_scan_async_large"}),
        &moves<few>({"broadcast_async", "gather_async", "scatter_async", "allgather_async",
                     "alltoall_async"}),
        &moves<many>({"broadcast_async_large", "gather_async_large", "scatter_async_large",
                      "allgather_async_large", "alltoall_async_large"}),
        &moves_of_blocks<few>({"gatherv_async", "scatterv_async", "allgatherv_async",
                               "alltoallv_async", "reduce_scatter_async"}),
        &moves_of_blocks<many>({"gatherv_async_large", "scatterv_async_large",
                                "allgatherv_async_large", "alltoallv_async_large",
                                "reduce_scatter_async_large"})})
    all.insert(all.end(), some->begin(), some->end());
  return all;
}

}  // namespace

const std::vector<Call>& async_collectives() {
  static const std::vector<Call> calls = everything();
  return calls;
}
