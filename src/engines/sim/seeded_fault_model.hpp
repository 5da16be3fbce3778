#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <vector>

#include "base/random.hpp"
#include "engines/fault_model.hpp"
#include "engines/sim/fault_rates.hpp"

namespace armature::transport::sim {

/// A fault model that one seed decides: each seed has its own fault rates (how long requests take,
/// how often a channel seems full), and each batch of requests its own delay. Delays of different
/// pairs are independent, so what was sent later to, or by, another rank may arrive earlier.
class SeededFaultModel final : public FaultModel {
 public:
  SeededFaultModel(int ranks, base::Random& random, const std::uint64_t& now_ns);

  std::uint64_t visible(int from, int to, std::uint64_t published) override;
  bool clogs(int from, int to) override;
  [[nodiscard]] int take_due() override;
  [[nodiscard]] bool something_is_under_way() const override {
    return under_way_ > 0 || !due_.empty();
  }
  /// From now on take_due() names those who have to look again. Else they look all the time.
  void name_those_due() { names_due_ = true; }

 private:
  struct Batch {
    std::uint64_t end = 0;  // position in the channel
    std::uint64_t arrives_ns = 0;
  };
  struct Lane {
    std::uint64_t published = 0;
    std::uint64_t visible = 0;
    std::deque<Batch> batches;
  };
  struct Due {
    std::uint64_t at_ns = 0;
    int rank = 0;
    bool operator>(const Due& other) const { return at_ns > other.at_ns; }
  };

  std::size_t ranks_;
  base::Random& random_;
  const std::uint64_t& now_ns_;
  FaultRates fault_rates_;
  std::vector<Lane> lanes_;
  std::size_t under_way_ = 0;
  bool names_due_ = false;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
};

}  // namespace armature::transport::sim
