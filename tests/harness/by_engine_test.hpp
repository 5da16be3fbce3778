#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "harness/two_nodes.hpp"
#include "rma/protocol.hpp"
#include "rma/remote_records.hpp"

// Tests of transfers by the engine's own operations: the other process is played by the test.

namespace armature::harness {

/// Keys are remembered by the process: each test uses chunks of its own, and is run once in it.
class ByEngineTest : public testing::Test {
 protected:
  using Finish = rma::Finish;
  using Verb = rma::Verb;
  static constexpr std::size_t chunk = std::size_t{16} << 20;
  static constexpr std::size_t long_enough = std::size_t{128} << 10;
  static Bytes patterned(std::size_t bytes) {
    Bytes data(bytes);
    for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i * 7 + 1);
    return data;
  }

  ByEngineTest() {
    net_.peer.one_sided.is_offered = true;
    rma::choose_protocols({.long_pieces = true});
    net_.peer.on_record = [this](const Peer::Seen& seen) {
      if (!seen.is(rma::Kind::key)) return;
      struct {
        std::uint64_t request;
        std::byte key[8];
      } answer{seen.head<rma::KeyRecord>().request, {}};
      net_.peer.say(rma::Kind::keyed, seen.record.to, &answer, sizeof answer.request + key_.size());
    };
  }
  ~ByEngineTest() override { rma::choose_protocols({}); }
  std::byte* remote(std::size_t number) { return net_.mapping().segment(1) + number * chunk; }
  /// Whether the engine did all of it.
  bool put(std::byte* to, const Bytes& data) {
    const std::size_t before = net_.peer.one_sided.puts;
    (void)rma::start_good(rma::operation_on(Verb::put, Rank(1), {to, data.data(), data.size()}, {}),
                          Finish::now);
    return net_.peer.one_sided.puts > before;
  }
  detail::Request* get(Bytes& to, const std::byte* from, Finish finish) {
    return rma::start_good(
        rma::operation_on(Verb::get, Rank(1), {to.data(), from, to.size()}, {.call = "get"}),
        finish);
  }
  std::size_t keys_asked() { return net_.peer.seen(rma::Kind::key).size(); }

  Bytes key_ = Bytes(8);  // that the peer tells
  TwoNodes net_{TwoNodes::with(rma::service)};
};

}  // namespace armature::harness
