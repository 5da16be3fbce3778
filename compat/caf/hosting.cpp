#include "hosting.hpp"

#include <armature/error.hpp>
#include <armature/run.hpp>

namespace caf {
namespace {

bool join_as_process() {
  try {
    armature::init();
    return true;
  } catch (const armature::Error& error) {
    if (error.code() == armature::Errc::start) return false;
    throw;
  }
}

}  // namespace

bool hosts_ranks() {
  static const bool does = !armature::initialized() && !join_as_process();
  return does;
}

bool is_image() { return armature::initialized() || !hosts_ranks(); }

}  // namespace caf
