// One rank's view of the distributed matrix: its own blocks in its piece of global memory, the
// others' fetched with one-sided gets. The owner takes no part in that: it has told the reader
// before that the block is finished, and is asked nothing.
#pragma once

#include <cstdint>
#include <vector>

#include <armature/armature.hpp>
#include <armature/checkpoint.hpp>

#include "layout.hpp"

namespace lu {

class RankMatrix {
 public:
  /// Collective. The global memory is released at the end of the job.
  RankMatrix(armature::World& world, const Layout& layout, int meets_every = 0);
  RankMatrix(const RankMatrix&) = delete;
  RankMatrix& operator=(const RankMatrix&) = delete;

  const Layout& layout() const { return layout_; }
  int me() const { return world_.rank(); }
  Block block(int i, int j) const { return layout_.locate(mine(), i, j); }
  Block read(int i, int j, int slot);
  void finish_reads() const { armature::wait_all(); }
  void announce(int rank) const { armature::notify(rank); }
  void await(int rank) const { armature::wait_notify(rank); }
  void barrier() const { world_.barrier(); }
  /// At every so many steps all ranks meet: virtual ones may go to other nodes there, or be
  /// written.
  void finish_step(int k) const {
    if (meets_every_ > 0 && k % meets_every_ == meets_every_ - 1)
      armature::checkpoint({.when_due = true});
  }

  /// Fills this rank's share with the matrix to factor.
  void fill() const;
  /// Collective: what residual.hpp's check_factors gives, at every rank.
  double check() const;

  /// Gets issued by this rank.
  struct Traffic {
    std::int64_t gets = 0;
    std::int64_t bytes = 0;
  };
  const Traffic& traffic() const { return traffic_; }

 private:
  double* mine() const { return piece_.local().data(); }

  armature::World& world_;
  const Layout& layout_;
  armature::Piece<double> piece_;
  std::vector<double> fetched_;  // the slots, one block each
  const int meets_every_;        // steps; 0: never
  Traffic traffic_;
};

}  // namespace lu
