#include "command/run/process_starter.hpp"

namespace armature::command {

int ProcessStarter::start(LaunchedProcess& process) {
  const Labels::Ends ends = output_.open(process);
  const auto started =
      spawner_.start(process.ranks, process.node, {ends.out.get(), ends.err.get()});
  if (started.error != 0) return started.error;
  process.pid = started.pid;
  process.alive = true;
  for (const space::Control& node : job_.nodes())
    node.header().resize.started.fetch_add(1, std::memory_order_relaxed);
  return 0;
}

}  // namespace armature::command
