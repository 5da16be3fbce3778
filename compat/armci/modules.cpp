// Modules of the calling process: its further threads of control, with a group each.
#include <cstddef>
#include <memory>
#include <utility>

#include <armature/error.hpp>
#include <armature/module.hpp>

#include "armcix.h"
#include "calls.hpp"
#include "groups.hpp"
#include "job.hpp"

struct armcix_module_s {
  armature::Module module;
};

namespace {

using Body = void (*)(void*, ARMCI_Group*);

/// All that a module does. Its own group is known while it runs, and to nobody else.
void run_body(const armature::World& own, Body body, void* argument) {
  ARMCI_Group group;
  armci::make_group(&group, own);
  body(argument, &group);
  ARMCI_Group_free(&group);
}

}  // namespace

extern "C" {

armcix_module_t ARMCIX_Module_start(Body body, void* argument, ARMCI_Group* group) {
  return armci::insisted(__func__, [=]() -> armcix_module_t {
    if (body == nullptr)
      throw armature::Error(armature::Errc::bad_argument, "no function for the module to run");
    armci::joined();
    auto started = std::make_unique<armcix_module_s>();
    started->module =
        armature::start_module(group != nullptr ? armci::team_of(group) : armci::world_group()->all,
                               [=](armature::World& own) { run_body(own, body, argument); });
    return started.release();
  });
}

int ARMCIX_Module_ended(armcix_module_t module) {
  if (module == nullptr) return armci::explain(__func__, armci::null_pointer, "no module given");
  return armci::answered(__func__, [=] { return module->module.has_ended() ? 1 : 0; });
}

int ARMCIX_Module_wait(armcix_module_t module) {
  if (module == nullptr) return armci::explain(__func__, armci::null_pointer, "no module given");
  return armci::answered(__func__, [=] {
    module->module.wait();
    delete module;
    return static_cast<int>(armci::ok);
  });
}

}  // extern "C"
