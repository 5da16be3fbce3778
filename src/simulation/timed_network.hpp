#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>
#include <vector>

#include "engines/fault_model.hpp"
#include "simulation/timed_simulator.hpp"
#include "transport/network_costs.hpp"
#include "wait/cost_model.hpp"

namespace armature::simulation {

/// Times of rounds by the tree that news of a team's members travels along (team/nodes.hpp):
/// `entered[member]`, in picoseconds, to when each has heard of all. `shown[member]` bytes travel
/// as far as somebody reads them.
struct RoundTimes {
  wait::RoundCost cost;
  std::vector<Picoseconds> entered;
  std::vector<std::size_t> shown;
};
[[nodiscard]] std::vector<Picoseconds> times_of_round(const RoundTimes& round,
                                                      const transport::NetworkCosts& costs);

/// The network of a simulation that predicts times. Each rank has an end of the wire, which sends
/// and takes in one message after the other. By LogGP a message of n bytes that is sent at t is
/// there at t + o + nG + L, and costs its receiver another o.
class TimedNetwork final : public wait::CostModel, public transport::FaultModel {
 public:
  TimedNetwork(const space::Mapping& mapping, TimedSimulator& simulator,
               const transport::NetworkCosts& costs);
  ~TimedNetwork() override;

  struct Traffic {
    std::uint64_t messages = 0, bytes = 0;
  };
  [[nodiscard]] const Traffic& traffic(int rank) const {
    return ends_[static_cast<std::size_t>(rank)].traffic;
  }

  void compute(double seconds) override;
  void send(int to, std::size_t bytes, std::function<void()> arrived) override;
  void fetch(int from, std::size_t bytes, std::function<void()> read,
             std::function<void()> arrived) override;
  void copied(int from, std::size_t bytes) override;
  void fence(int to) override;
  std::uint64_t& notified(int from, int to) override { return lane(from, to).notified; }
  std::uint64_t visible_messages(int from, int to, std::uint64_t written) override;
  void enter(const wait::RoundCost& round) override;
  void leave(const wait::RoundCost& round) override;
  void show(const wait::RoundCost& round) override;
  [[nodiscard]] bool has_heard(const wait::RoundCost& round) const override;

  std::uint64_t visible(int from, int to, std::uint64_t published) override;
  bool clogs(int /*from*/, int /*to*/) override { return false; }
  [[nodiscard]] bool something_is_under_way() const override { return false; }

 private:
  /// One rank's end of the wire.
  struct End {
    Picoseconds out_free = 0, in_free = 0;  // when the next message may leave, or begin to come in
    std::uint64_t unknown = 0;              // of what it has put: it does not know that it is there
    Traffic traffic;
  };
  /// A ring of remote calls or of messages: how far it was written, came, and was seen to come.
  struct Ring {
    std::uint64_t published = 0, arrived = 0;
    std::uint64_t messages_arrived = 0, messages_seen = 0;
  };
  struct Lane {
    std::uint64_t notified = 0;
    Ring calls, messages;
  };
  struct Round {
    RoundTimes times;
    std::vector<Picoseconds> left;  // once all have entered
    std::size_t entered = 0, leaving = 0;
  };
  using RoundKey = std::pair<const void*, std::uint64_t>;

  Round& take_part(const wait::RoundCost& round);
  Lane& lane(int from, int to);
  End& end(int rank) { return ends_[static_cast<std::size_t>(rank)]; }
  using Act = std::function<void()>;
  void carry(int from, int to, std::size_t bytes, Act there);
  void charge_overhead(int other);
  bool note_published(int to);
  bool note_written(int to);
  void publish(int from, int to, Ring& ring, std::uint64_t published);
  std::uint64_t see(int from, int to, Ring& ring, std::uint64_t published);

  const space::Mapping& mapping_;
  TimedSimulator& simulator_;
  const transport::NetworkCosts costs_;
  std::vector<End> ends_;
  std::unordered_map<std::uint64_t, Lane> lanes_;
  std::map<RoundKey, Round> rounds_;
};

}  // namespace armature::simulation
