#include <algorithm>
#include <cstddef>
#include <span>

#include "bench/rows.hpp"

// x += a * y, alone and with both ranks at the same target, where nothing may be lost. The limit is
// the plain loop: not atomic, so under contention it is a floor that no correct accumulate need
// reach.

namespace armature::bench {

namespace {

constexpr std::size_t mebi = std::size_t{1} << 20;

void accumulate_row(Stage& stage, std::size_t count, Target target) {
  const double* const local = stage.doubles();
  const auto remote = stage.remote();
  double* const plain = remote.direct();
  stage.one_sided(
      {"acc", count * sizeof(double)}, target,
      [=] {
        accumulate(remote, local, hidden(count), {.scale = 2.0});
        keep(*plain);
      },
      [=] {
        limits::axpy(plain, local, 2.0, hidden(count));
        keep(*plain);
      });
}

/// Local values are 1 and the scale is 2, so each element ends as twice the number of calls: an
/// exact sum.
void contended_row(Stage& stage, std::size_t count) {
  const double* const local = stage.doubles();
  const auto target = stage.remote();
  double* const floor =
      (target + mebi).direct();  // the limit loses updates, so it has its own target
  stage.alone([&] { std::fill_n(target.direct(), count, 0.0); });
  std::int64_t calls = 0;
  stage.contended(
      {"acc.contended", count * sizeof(double)},
      [&] {
        accumulate(target, local, hidden(count), {.scale = 2.0});
        ++calls;
      },
      [=] {
        limits::axpy(floor, local, 2.0, hidden(count));
        keep(*floor);
      });
  fence_all();
  const double sum = 2.0 * static_cast<double>(allreduce(stage.world(), calls));
  stage.alone([&] {
    const std::span<const double> result(target.direct(), count);
    if (std::ranges::any_of(result, [=](double x) { return x != sum; }))
      abort(1, "acc.contended: ranks that accumulate to the same target have lost updates");
  });
}

}  // namespace

void accumulate_rows(Stage& stage) {
  if (!stage.has("acc") && !stage.has("acc.busy") && !stage.has("acc.contended")) return;
  stage.alone([&] { std::fill_n(stage.doubles(), heap_bytes / sizeof(double), 1.0); });
  for (const std::size_t count : {std::size_t{1}, std::size_t{512}, std::size_t{65536}, mebi})
    accumulate_row(stage, count, Target::waiting);
  for (const std::size_t count : {std::size_t{1}, std::size_t{512}, std::size_t{8192}})
    accumulate_row(stage, count, Target::computing);
  for (const std::size_t count : {std::size_t{512}, mebi}) contended_row(stage, count);
}

}  // namespace armature::bench
