#include "bootstrap/launcher/launch_options.hpp"

#include "bootstrap/alike.hpp"

namespace armature::bootstrap {

std::string LaunchOptions::secrets() const {
  return restore && !restore->secrets.empty() ? restore->secrets : new_secrets();
}

}  // namespace armature::bootstrap
