#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bootstrap/exchange.hpp"
#include "engines/load.hpp"
#include "net/server_way.hpp"
#include "transport/service.hpp"

namespace armature::net {

struct NetworkOptions {
  transport::EngineOptions engine;
  transport::OpenBy open = transport::load_engine;
  /// After a fence that all have passed: the interface, "" for the engine's own choice.
  std::function<std::string(bootstrap::Exchange&)> find_device;
  /// "process 3 (rank 3 on b, 10.0.0.2)", for errors.
  std::function<std::string(int process)> name_peer;
  /// Those of higher floors, the same in all processes and in this order.
  std::vector<const transport::Service*> services;
  void (*say_lost)(int process, const char* why) = nullptr;  // once on this node
  void (*end_job)(int process, const char* why) = nullptr;   // a loss has: does not return
  std::uint64_t heartbeat_ns = 10'000'000'000;               // silent for longer: lost; 0: never
  std::uint64_t beat_ns = 2'500'000'000;  // then: how often signs of life are given
  // Connections are made when first used, not all at the start. Who is not connected to a process
  // does not see its death: not where the job goes on after one.
  bool connects_on_demand = false;
  bool serves = true;                         // by a thread of its own, where nobody polls
  ServerWay server = ServerWay::sleeps;       // that thread
  std::uint64_t connect_ns = 30'000'000'000;  // within that every process must have answered
};

}  // namespace armature::net
