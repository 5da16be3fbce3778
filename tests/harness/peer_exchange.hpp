#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "bootstrap/exchange.hpp"
#include "harness/peer.hpp"

namespace armature::harness {

/// The values that this process and the one peer would have told each other at start.
class PeerExchange final : public bootstrap::Exchange {
 public:
  [[nodiscard]] int process() const override { return 0; }
  [[nodiscard]] int processes() const override { return 2; }
  void put(std::string_view key, std::span<const std::byte> value) override;

 protected:
  [[nodiscard]] Bytes look_up(int, std::string_view key) override;
  void wait_for_all(std::chrono::milliseconds /*patience*/) override {}

 private:
  std::map<std::string, Bytes, std::less<>> values_;
};

}  // namespace armature::harness
