// Mutexes: the one set of ARMCI_Create_mutexes, over the world, and ARMCIX's sets over groups,
// whose processes are named by their job-wide numbers all the same.

#include "mutexes.hpp"

#include <memory>
#include <utility>

#include <armature/error.hpp>
#include <armature/mutex.hpp>
#include <armature/team.hpp>
#include <armature/world.hpp>

#include "armcix.h"
#include "calls.hpp"
#include "groups.hpp"
#include "job.hpp"
#include "of_rank.hpp"
#include "turn.hpp"

struct armcix_mutex_hdl_s {
  armature::Team team;
  armature::Mutexes mutexes;
};

namespace armci {

namespace {

OfRank<armature::Mutexes> the_set;

int member_of(const armcix_mutex_hdl_t hdl, int proc) {
  if (hdl == nullptr) throw armature::Error(armature::Errc::misuse, "no set of mutexes");
  return hdl->team.member(armature::Rank(proc));  // -1 is no member: found out by the set
}

}  // namespace

void forget_mutexes() { *the_set = {}; }

}  // namespace armci

using namespace armci;

extern "C" {

int PARMCI_Create_mutexes(int count) {
  return answered(__func__, in_turn([=]() -> int {
                    if (*the_set)
                      throw armature::Error(armature::Errc::misuse, "the mutexes exist already");
                    *the_set = joined().create_mutexes(count);
                    return ok;
                  }));
}

int PARMCI_Destroy_mutexes(void) {
  return answered(__func__,
                  in_turn([]() -> int { return joined().destroy_mutexes(*the_set), ok; }));
}

void PARMCI_Lock(int mutex, int proc) {
  insisted(__func__, [=] { the_set->lock(proc, mutex); });
}

void PARMCI_Unlock(int mutex, int proc) {
  insisted(__func__, [=] { the_set->unlock(proc, mutex); });
}

armcix_mutex_hdl_t ARMCIX_Create_mutexes_hdl(int count, ARMCI_Group* group) {
  armcix_mutex_hdl_t created = nullptr;
  answered(__func__, in_turn([&]() -> int {
             armature::Team team = team_of(group);
             armature::Mutexes mutexes = team.create_mutexes(count);
             created = new armcix_mutex_hdl_s{std::move(team), std::move(mutexes)};
             return ok;
           }));
  return created;
}

armcix_mutex_hdl_t ARMCIX_Create_mutexes_grp(int count) {
  ARMCI_Group world;
  ARMCI_Group_get_world(&world);
  return ARMCIX_Create_mutexes_hdl(count, &world);
}

int ARMCIX_Destroy_mutexes_hdl(armcix_mutex_hdl_t hdl) {
  if (hdl == nullptr) return explain(__func__, null_pointer, "no set of mutexes");
  return answered(__func__, in_turn([=]() -> int {
                    hdl->team.destroy_mutexes(hdl->mutexes);
                    delete hdl;
                    return ok;
                  }));
}

void ARMCIX_Lock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc) {
  insisted(__func__, [=] {
    const int member = member_of(hdl, proc);
    hdl->mutexes.lock(member, mutex);
  });
}

int ARMCIX_Trylock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc) {
  return answered(__func__, [=]() -> int {
    const int member = member_of(hdl, proc);
    return hdl->mutexes.try_lock(member, mutex) ? 0 : 1;
  });
}

void ARMCIX_Unlock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc) {
  insisted(__func__, [=] {
    const int member = member_of(hdl, proc);
    hdl->mutexes.unlock(member, mutex);
  });
}

}  // extern "C"

ARMCI_TWIN(Create_mutexes);
ARMCI_TWIN(Destroy_mutexes);
ARMCI_TWIN(Lock);
ARMCI_TWIN(Unlock);
