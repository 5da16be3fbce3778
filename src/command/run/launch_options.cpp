#include "command/run/launch_options.hpp"

#include "bootstrap/address_layout.hpp"

namespace armature::command {

std::string LaunchOptions::secrets() const {
  return restore && !restore->secrets.empty() ? restore->secrets : bootstrap::new_secrets();
}

}  // namespace armature::command
