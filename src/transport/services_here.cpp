#include "transport/services_here.hpp"

#include "base/runtime.hpp"

namespace armature::transport {
namespace {

struct ServicesHere {
  std::vector<const Service*> all;
};

}  // namespace

std::vector<const Service*>& services_here() { return base::state<ServicesHere>().all; }

}  // namespace armature::transport
