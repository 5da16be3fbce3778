#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "armature/array/distributed_array.hpp"
#include "armature/collectives.hpp"
#include "armature/error.hpp"
#include "armature/run.hpp"

// Arrays of Global Arrays as distributed arrays, without copying: for programs of Global Arrays
// that are linked with libarmci of this library, whose memory is then in the global address space.
// This header is not part of <armature/array.hpp>.

extern "C" {
// As in ga.h.
extern void NGA_Inquire64(int g_a, int* type, int* ndim, int64_t dims[]);
extern char* GA_Inquire_name(int g_a);
extern void GA_Nblock(int g_a, int* nblock);
extern void NGA_Distribution64(int g_a, int iproc, int64_t lo[], int64_t hi[]);
extern void NGA_Access64(int g_a, int64_t lo[], int64_t hi[], void* ptr, int64_t ld[]);
extern void NGA_Release64(int g_a, int64_t lo[], int64_t hi[]);
extern int GA_Has_ghosts(int g_a);
extern int GA_Total_blocks(int g_a);
extern int GA_Get_pgroup(int g_a);
extern int GA_Pgroup_get_world(void);
}

namespace armature {

namespace detail {

/// The number that Global Arrays has for elements of a type (macommon.h), or 0.
template <class T>
constexpr int global_array_type() {
  if (std::is_same_v<T, int>) return 1001;
  if (std::is_same_v<T, long>) return 1002;
  if (std::is_same_v<T, float>) return 1003;
  if (std::is_same_v<T, double>) return 1004;
  if (std::is_same_v<T, std::complex<float>>) return 1006;
  if (std::is_same_v<T, std::complex<double>>) return 1007;
  return std::is_same_v<T, long long> ? 1016 : 0;
}

/// The form that an array of Global Arrays has here. Throws Error(bad_argument), which names it, if
/// it has no such form.
template <class T, int N>
class GlobalArrayForm {
  using Bounds = std::array<int64_t, static_cast<std::size_t>(N)>;

 public:
  explicit GlobalArrayForm(int g_a) : g_a_(g_a) {
    int type = 0, dimensions = 0;
    std::array<int64_t, 8> dims{};
    NGA_Inquire64(g_a, &type, &dimensions, dims.data());
    name_ = GA_Inquire_name(g_a);
    if (type != global_array_type<T>())
      fail("elements are of type " + std::to_string(type) + ", not " +
           std::to_string(global_array_type<T>()));
    if (dimensions != N)
      fail("it has " + std::to_string(dimensions) + " dimensions, not " + std::to_string(N));
    if (GA_Has_ghosts(g_a) != 0) fail("it has ghost cells");
    if (GA_Total_blocks(g_a) >= 0) fail("its blocks are dealt out");
    if (GA_Get_pgroup(g_a) != GA_Pgroup_get_world()) fail("it belongs to a group of processes");
    std::copy_n(dims.begin(), N, shape_.begin());
    GA_Nblock(g_a, grid_.data());
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] ArrayLayout layout(int members) const {
    std::array<Distribution, static_cast<std::size_t>(N)> distribution;
    int step = 1;  // members are numbered as the elements of a matrix in C
    for (std::size_t d = N; d-- > 0;) {
      std::vector<std::ptrdiff_t> lengths;
      for (int p = 0; p < grid_[d]; ++p) lengths.push_back(count(p * step, d));
      if (std::accumulate(lengths.begin(), lengths.end(), std::ptrdiff_t{0}) != shape_[d])
        fail("its blocks are not those of a grid");
      distribution[d] = Distribution::gen_block(std::move(lengths));
      step *= grid_[d];
    }
    const std::array<std::ptrdiff_t, static_cast<std::size_t>(N)> ghosts{};
    return ArrayLayout({name_, shape_, distribution, grid_, ghosts, Order::row_major, members});
  }
  /// Returns the place of the caller's block, which lies together, row by row.
  [[nodiscard]] T* block(const ArrayLayout& layout, int me) const {
    Bounds lo{}, hi{}, ld{};
    NGA_Distribution64(g_a_, me, lo.data(), hi.data());
    const auto at = layout.place(me);
    bool is_empty = at[0] < 0;
    for (std::size_t d = 0; d < static_cast<std::size_t>(N); ++d) is_empty |= hi[d] < lo[d];
    if (is_empty) return nullptr;
    T* memory = nullptr;
    NGA_Access64(g_a_, lo.data(), hi.data(), &memory, ld.data());
    NGA_Release64(g_a_, lo.data(), hi.data());
    for (std::size_t d = 0; d < static_cast<std::size_t>(N); ++d) {
      const auto& axis = layout.axis(static_cast<int>(d));
      if (axis.first(at[d]) != lo[d] || axis.first(at[d] + 1) != hi[d] + 1)
        fail("process " + std::to_string(me) + " has another block than its place says");
      if (d > 0 && ld[d - 1] != hi[d] - lo[d] + 1) fail("blocks do not lie together");
    }
    return memory;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(Errc::bad_argument,
                "the global array '" + name_ + "' is no distributed_array: " + why);
  }
  [[nodiscard]] std::ptrdiff_t count(int member, std::size_t d) const {
    Bounds lo{}, hi{};
    NGA_Distribution64(g_a_, member, lo.data(), hi.data());
    return std::max<std::ptrdiff_t>(0, hi[d] - lo[d] + 1);
  }

  int g_a_;
  std::string name_;
  std::array<std::ptrdiff_t, static_cast<std::size_t>(N)> shape_{};
  std::array<int, static_cast<std::size_t>(N)> grid_{};
};

}  // namespace detail

/// Collective over all ranks: a view of an array of Global Arrays. Elements stay where they are;
/// both names are used for them as long as the global array lives, with GA_Sync or fence() between.
/// Throws Error(bad_argument), which names the global array, if its elements are of another type
/// or number of dimensions, it has ghost cells, its blocks are dealt out, or it belongs to a group.
template <class T, int N>
[[nodiscard]] distributed_array<T, N> from_global_array(int g_a) {
  static_assert(detail::global_array_type<T>() != 0, "Global Arrays has no such elements");
  const World& team = world();
  const detail::GlobalArrayForm<T, N> form(g_a);
  detail::ArrayLayout layout = form.layout(team.size());
  std::byte* const mine = reinterpret_cast<std::byte*>(form.block(layout, team.rank()));
  std::vector<std::byte*> blocks = allgather(team, mine);
  return distributed_array<T, N>(std::make_unique<detail::ArrayStore>(
      team, form.name(), std::move(layout), sizeof(T), std::move(blocks)));
}

}  // namespace armature
