#pragma once

#include "bootstrap/exchange.hpp"
#include "bootstrap/process_table.hpp"
#include "space/mapping.hpp"

namespace armature::failure {

/// Watches the processes of a node. Our own launcher, every process's parent, notices a death
/// itself. Under another one, the processes watch each other. A thread in each sleeps until the
/// next process of the node that still runs, or the one that has started this one, ends. A process
/// that ends without having left the job is declared dead. Calls that wait for its ranks hear of it
/// as under our launcher, and unless the job is to go on, it ends. When the starter ends, so does
/// this process, so that nothing is left over.
///
/// Each watches one, and whoever finds it gone watches the one behind it: so every process is
/// watched however many die together. The thread lives as long as the process.
void watch_node(const bootstrap::ProcessTable& process_table, const space::Mapping& mapping,
                bootstrap::Exchange& exchange);

}  // namespace armature::failure
