#include "rank_matrix.hpp"

#include "factor.hpp"
#include "residual.hpp"

namespace lu {
namespace {

std::size_t block_area(const Layout& layout) {
  const auto edge = static_cast<std::size_t>(layout.shape().block);
  return edge * edge;
}

}  // namespace

RankMatrix::RankMatrix(armature::World& world, const Layout& layout, int meets_every)
    : world_(world),
      layout_(layout),
      piece_(world.allocate<double>(layout.footprint(world.rank()))),
      fetched_(block_area(layout) *
               static_cast<std::size_t>(Factorisation<RankMatrix>::slots(layout))),
      meets_every_(meets_every) {}

// The reads of a step are non-blocking, so that between nodes they overlap; finish_reads() waits
// for all of them.
Block RankMatrix::read(int i, int j, int slot) {
  const int owner = layout_.owner(i, j);
  if (owner == me()) return block(i, j);
  const armature::global_ptr<double> share = piece_.on(owner);
  const Block remote = layout_.locate(share.address(), i, j);
  const armature::global_ptr<double> from(share.rank(), remote.data);
  Block copy{.data = fetched_.data() + static_cast<std::size_t>(slot) * block_area(layout_),
             .ld = remote.cols,
             .rows = remote.rows,
             .cols = remote.cols};
  const std::size_t row_bytes = static_cast<std::size_t>(remote.cols) * sizeof(double);
  const auto rows = static_cast<std::size_t>(remote.rows);
  if (remote.ld == remote.cols) {
    armature::get_nbi(copy.data, from, rows * static_cast<std::size_t>(remote.cols));
  } else {
    const std::size_t counts[] = {row_bytes, rows};
    const std::ptrdiff_t to_strides[] = {static_cast<std::ptrdiff_t>(row_bytes)};
    const std::ptrdiff_t from_strides[] = {remote.ld * std::ptrdiff_t{sizeof(double)}};
    armature::get_strided_nbi(copy.data, from, {counts, to_strides, from_strides});
  }
  traffic_.gets += 1;
  traffic_.bytes += static_cast<std::int64_t>(rows * row_bytes);
  return copy;
}

void RankMatrix::fill() const { fill_share(layout_, me(), mine()); }

double RankMatrix::check() const {
  return check_factors(layout_, [this](auto add) {
    std::vector<double> sum(static_cast<std::size_t>(layout_.shape().n));
    add(me(), mine(), std::span(sum));
    allreduce(world_, std::span(sum));
    return sum;
  });
}

}  // namespace lu
