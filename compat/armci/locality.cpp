// The calls that tell where processes are, and notification of one process by another.

#include <chrono>

#include <armature/error.hpp>
#include <armature/locality.hpp>
#include <armature/notify.hpp>

#include "armci.h"
#include "armcix.h"
#include "calls.hpp"
#include "job.hpp"
#include "pending.hpp"

using namespace armci;
using armature::Domain;
using armature::Rank;

namespace {

static_assert(ARMCI_DOMAIN_SMP == static_cast<int>(Domain::smp) &&
              ARMCIX_DOMAIN_PROCESS == static_cast<int>(Domain::process) &&
              ARMCIX_DOMAIN_CORE == static_cast<int>(Domain::core) &&
              ARMCIX_DOMAIN_CACHE == static_cast<int>(Domain::cache) &&
              ARMCIX_DOMAIN_NUMA == static_cast<int>(Domain::numa) &&
              ARMCIX_DOMAIN_SOCKET == static_cast<int>(Domain::socket) &&
              ARMCIX_DOMAIN_SWITCH == static_cast<int>(Domain::network_switch));

Domain level_of(armci_domain_t domain) {
  if (domain < ARMCI_DOMAIN_SMP || domain > ARMCIX_DOMAIN_SWITCH)
    throw armature::Error(armature::Errc::bad_argument,
                          "the domains are ARMCI_DOMAIN_SMP and those of armcix.h");
  return static_cast<Domain>(domain);
}

int number_of(armci_domain_t domain, int proc) {
  return armature::domain_of(level_of(domain), Rank(proc));
}

/// The number of a domain as given; a negative one means mine.
int domain_meant(armci_domain_t domain, int id) {
  return id < 0 ? number_of(domain, my_process()) : id;
}

/// Returns what `body` finds, or `none` if there is no such thing.
template <class Body>
int found_or(const char* call, int none, Body&& body) {
  const int found = answered(call, body);
  return found < 0 ? none : found;
}

int same_node(const char* call, int proc) {
  return found_or(call, 0, [=]() -> int {
    return armature::same_node(Rank(my_process()), Rank(proc)) ? 1 : 0;
  });
}

}  // namespace

extern "C" {

int armci_domain_count(armci_domain_t domain) {
  return found_or(__func__, -1, [=]() -> int { return armature::domain_count(level_of(domain)); });
}

int armci_domain_nprocs(armci_domain_t domain, int id) {
  return found_or(__func__, -1, [=]() -> int {
    return static_cast<int>(
        armature::domain_ranks(level_of(domain), domain_meant(domain, id)).size());
  });
}

int armci_domain_id(armci_domain_t domain, int proc) {
  return found_or(__func__, -1, [=]() -> int { return number_of(domain, proc); });
}

int armci_domain_glob_proc_id(armci_domain_t domain, int id, int local_proc) {
  return found_or(__func__, -1, [=]() -> int {
    const int meant = domain_meant(domain, id);
    int before = 0;
    for (int proc = 0; proc < processes(); ++proc)
      if (number_of(domain, proc) == meant && before++ == local_proc) return proc;
    return -1;
  });
}

int armci_domain_my_id(armci_domain_t domain) {
  return found_or(__func__, -1, [=]() -> int { return number_of(domain, my_process()); });
}

int armci_domain_same_id(armci_domain_t domain, int proc) {
  return found_or(__func__, 0, [=]() -> int {
    return number_of(domain, my_process()) == number_of(domain, proc) ? 1 : 0;
  });
}

int ARMCI_Same_node(int proc) { return same_node(__func__, proc); }
int armci_sameclusnode(int proc) { return same_node(__func__, proc); }

int ARMCI_Uses_shm(void) { return 1; }
int ARMCI_Uses_shm_grp(ARMCI_Group* /*group*/) { return 1; }
void ARMCI_Set_shm_limit(unsigned long /*bytes*/) {}  // the machine's memory is the limit

double armci_timer(void) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

int parmci_notify(int proc) {
  return answered(__func__, [=] {
    pending().leave_process(proc);  // who waits for it finds what was put before
    return static_cast<int>(armature::notify(Rank(proc)));
  });
}

int parmci_notify_wait(int proc, int* count) {
  return answered(__func__, [=] {
    const int taken = static_cast<int>(armature::wait_notify(Rank(proc)));
    if (count != nullptr) *count = taken;
    return taken;
  });
}

decltype(parmci_notify) armci_notify __attribute__((weak, alias("parmci_notify")));
decltype(parmci_notify_wait) armci_notify_wait __attribute__((weak, alias("parmci_notify_wait")));

}  // extern "C"
