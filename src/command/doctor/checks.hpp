#pragma once

#include <string>
#include <vector>

namespace armature::command {

enum class Health {
  good,
  note,  // worth knowing, nothing to mend
  weak,  // works, but worse than it could
  bad,   // jobs will not run
};

/// One thing about this machine.
struct Finding {
  std::string what;
  Health health = Health::good;
  std::string found;
  std::string remedy;  // for weak and bad
};
using Findings = std::vector<Finding>;

void check_processors(Findings& findings);
void check_waiting(Findings& findings);
void check_memory(Findings& findings);
void check_address_space(Findings& findings);
void check_copies(Findings& findings);
void check_limits(Findings& findings);
void check_engines(Findings& findings);
/// Checks for --network.
void check_network(Findings& findings);

}  // namespace armature::command
