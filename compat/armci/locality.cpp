// The calls that tell where processes are, and notification of one process by another.

#include <chrono>

#include <armature/error.hpp>
#include <armature/locality.hpp>
#include <armature/notify.hpp>

#include "armci.h"
#include "calls.hpp"
#include "job.hpp"
#include "pending.hpp"

using namespace armci;
using armature::Domain;
using armature::Rank;

namespace {

void require(armci_domain_t domain) {
  if (domain != ARMCI_DOMAIN_SMP)
    throw armature::Error(armature::Errc::bad_argument, "the only domain is ARMCI_DOMAIN_SMP");
}

int node_of(int proc) { return armature::domain_of(Domain::smp, Rank(proc)); }

/// The number of a node as given; a negative one means mine.
int node_meant(int id) { return id < 0 ? node_of(my_process()) : id; }

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
  return found_or(__func__, -1, [=]() -> int {
    require(domain);
    return armature::domain_count(Domain::smp);
  });
}

int armci_domain_nprocs(armci_domain_t domain, int id) {
  return found_or(__func__, -1, [=]() -> int {
    require(domain);
    return static_cast<int>(armature::domain_ranks(Domain::smp, node_meant(id)).size());
  });
}

int armci_domain_id(armci_domain_t domain, int proc) {
  return found_or(__func__, -1, [=]() -> int {
    require(domain);
    return node_of(proc);
  });
}

int armci_domain_glob_proc_id(armci_domain_t domain, int id, int local_proc) {
  return found_or(__func__, -1, [=]() -> int {
    require(domain);
    const int node = node_meant(id);
    int before = 0;
    for (int proc = 0; proc < processes(); ++proc)
      if (node_of(proc) == node && before++ == local_proc) return proc;
    return -1;
  });
}

int armci_domain_my_id(armci_domain_t domain) {
  return found_or(__func__, -1, [=]() -> int {
    require(domain);
    return node_of(my_process());
  });
}

int armci_domain_same_id(armci_domain_t domain, int proc) {
  return domain == ARMCI_DOMAIN_SMP ? same_node(__func__, proc) : 0;
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
