#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace armature::transport {

/// The simulated clock counts these: a byte of 10 GB/s takes 100 of them.
using Picoseconds = std::int64_t;

/// The cost of a message by LogGP (Alexandrov, Ionescu, Schauser and Scheiman, 1995): L, o, g, G.
struct LogGP {
  double latency_s = 1e-6;     // L: from the sender's end of the wire to the receiver's
  double overhead_s = 0;       // o: of the processor, for each message that it sends or takes in
  double gap_s = 0;            // g: between two messages at the same end
  double byte_s = 1.0 / 10e9;  // G: for each byte
  [[nodiscard]] Picoseconds latency() const { return picoseconds(latency_s); }
  [[nodiscard]] Picoseconds overhead() const { return picoseconds(overhead_s); }
  [[nodiscard]] Picoseconds gap() const { return picoseconds(gap_s); }
  [[nodiscard]] Picoseconds bytes(std::size_t count) const {
    return picoseconds(byte_s * static_cast<double>(count));
  }
  static Picoseconds picoseconds(double s) { return static_cast<Picoseconds>(s * 1e12 + 0.5); }
};

/// The levels of a machine that is predicted: ranks of one node, and nodes.
struct NetworkCosts {
  LogGP between_nodes;
  LogGP on_node{.latency_s = 200e-9, .overhead_s = 0, .gap_s = 0, .byte_s = 1.0 / 10e9};
  std::uint32_t ranks_per_node = 1;
  double measured = 0;  // measured computing counts so many times; 0: it does not

  [[nodiscard]] int node_of(int rank) const { return rank / static_cast<int>(ranks_per_node); }
  [[nodiscard]] const LogGP& between(int rank, int other) const {
    return node_of(rank) == node_of(other) ? on_node : between_nodes;
  }
};

/// The variable by which the launcher tells the simulation.
inline constexpr const char* network_costs_variable = "ARMATURE_SIMULATED_NETWORK";

/// Costs as people write them: "latency=1us,overhead=100ns,gap=200ns,bandwidth=10GB/s". The same
/// four with "node-" before them are those of two ranks of one node, of which "node=K" puts K on
/// each. "measured=F" counts measured computing F times. Throws Error(start), naming what is wrong.
[[nodiscard]] NetworkCosts parse_network_costs(std::string_view text);

}  // namespace armature::transport
