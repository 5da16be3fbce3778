#include "world/services.hpp"

#include "rma/records.hpp"
#include "rmi/records.hpp"
#include "team/records.hpp"
#include "virtual/records.hpp"

namespace armature::hosting {

std::vector<const transport::Service*> services() {
  return {&rma::service, &rmi::service, &team::service, &fibers::service};
}

}  // namespace armature::hosting
