#pragma once

#include <string>

#include "bootstrap/exchange.hpp"
#include "bootstrap/process_table.hpp"
#include "net/network.hpp"
#include "space/mapping.hpp"

namespace armature::failure {

/// How this process tells of processes on other nodes that it has lost, and ends the job where
/// nobody else does. `process_table` is what another launcher's job knows of its processes; nullptr
/// under our own launcher, which tells of the dead itself. Both must stay.
void install_losses(net::NetworkOptions& options, const bootstrap::ProcessTable* process_table,
                    const space::Mapping& mapping, bootstrap::Exchange* exchange);

/// Warns of the launcher, when the job has been wired up; one process does. The job is to go on
/// without its dead, and the launcher is known to end it all the same. `hidden`: the launcher does
/// not learn of deaths.
void warn_of_launcher(const bootstrap::ProcessTable& process_table, const space::Mapping& mapping,
                      bool hidden);

/// Asks the launcher to end the job, and ends this process, whether the launcher answers or not: it
/// may be on the other side of a link that is down.
[[noreturn]] void end_job_at_once(bootstrap::Exchange& exchange);

/// "rank 3 (pid 4711 on node1)", "the process of ranks 4-7 (...)"; "process 2 (...)" where ranks
/// may have moved.
std::string name_of(const bootstrap::ProcessTable& process_table, int process);

/// A line on stderr, in one piece.
void say_line(const std::string& what);

}  // namespace armature::failure
