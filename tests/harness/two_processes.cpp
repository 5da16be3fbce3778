#include "harness/two_processes.hpp"

#include <array>
#include <exception>
#include <memory>
#include <thread>

#include "base/runtime.hpp"
#include "harness/job.hpp"
#include "harness/wire.hpp"
#include "net/network.hpp"
#include "transport/services_here.hpp"
#include "wait/thread_call.hpp"
#include "wait/wait.hpp"
#include "world/job.hpp"
#include "world/services.hpp"

namespace armature::harness {
namespace {

void live(WireEnd end, const std::function<void(World&)>& body) {
  base::Runtime runtime;
  const base::UseRuntime used(runtime);
  base::state<WireEnd>() = end;
  const auto number = static_cast<int>(end.process);
  // Two nodes have the same address twice, one process does not: each has the job elsewhere.
  Job::Shape shape{.node_of_rank = {0, 1}, .node = number};
  shape.base += end.process * 4 * shape.segment_bytes;
  const Job memory(2, shape);
  wait::start_waiting(memory.header());
  const auto space = memory.address_space(Rank(number));
  WireExchange exchange(end);
  net::NetworkOptions options;
  options.open = [](transport::Sink& sink, const transport::EngineOptions&) {
    return std::unique_ptr<transport::Engine>(new WireEngine(sink, base::state<WireEnd>()));
  };
  hosting::list_services();
  options.services = transport::services_here();
  net::Network::join(memory.mapping(), {space.get()}, exchange, options);
  {
    armature::Job job(*space);
    body(job.world());
    job.leave();
  }
  wait::ThreadCall::end_all();
  net::Network::leave();
}

}  // namespace

std::size_t run_two_processes(const std::function<void(World&)>& body) {
  Wire wire;
  return run_two_processes(body, wire);
}

std::size_t run_two_processes(const std::function<void(World&)>& body, Wire& wire) {
  std::array<std::exception_ptr, 2> problems;
  const auto live_or_fail = [&](std::size_t process) {
    try {
      live({&wire, process}, body);
    } catch (...) {
      problems[process] = std::current_exception();
    }
  };
  std::thread other(live_or_fail, 1), first(live_or_fail, 0);
  first.join();
  other.join();
  for (const std::exception_ptr& problem : problems)
    if (problem) std::rethrow_exception(problem);
  return wire.packets;
}

}  // namespace armature::harness
