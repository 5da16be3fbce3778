#include "migration/addresses.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include <fmt/format.h>

#include "base/checksum.hpp"
#include "base/runtime.hpp"
#include "bootstrap/environment.hpp"
#include "fibers/exceptions.hpp"
#include "fibers/rank_malloc.hpp"
#include "image/copies.hpp"
#include "migration/builds.hpp"

namespace armature::migration {
namespace {

void mix(std::uint64_t& sum, std::uint64_t value) {
  sum = base::checksum(&value, sizeof value, sum);
}

bool holds(const dl_phdr_info& module, std::uintptr_t address) {
  return std::any_of(module.dlpi_phdr, module.dlpi_phdr + module.dlpi_phnum,
                     [&](const ElfW(Phdr) & segment) {
                       return segment.p_type == PT_LOAD &&
                              address - (module.dlpi_addr + segment.p_vaddr) < segment.p_memsz;
                     });
}

/// Stacks have addresses in it, and what lies in segments has those of its tables: so it must be
/// the same build, too. But not of what the kernel maps into each process: it calls nobody who
/// waits, and is another one with each kernel.
int add_module(dl_phdr_info* info, std::size_t /*bytes*/, void* to) {
  if (holds(*info, getauxval(AT_SYSINFO_EHDR))) return 0;
  auto& sum = *static_cast<std::uint64_t*>(to);
  mix(sum, info->dlpi_addr);
  const BuildId build = build_of(*info);
  sum = base::checksum(build.data(), build.size(), sum);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    mix(sum, segment.p_vaddr);
    mix(sum, segment.p_memsz);
  }
  return 0;
}

/// Numbers of the process that lie on the stacks of its ranks: the one that functions write below
/// their return address, and the one that longjmp hides addresses with.
struct Secrets {
  std::uint64_t stack_guard = 0, pointer_guard = 0;
};

Secrets secrets() {
#if defined(__x86_64__)
  Secrets found;
  asm("mov %%fs:0x28, %0" : "=r"(found.stack_guard));
  asm("mov %%fs:0x30, %0" : "=r"(found.pointer_guard));
  return found;
#elif defined(__aarch64__)
  // Variables of the dynamic linker. It has made them read-only before any library begins, so the
  // processes of a job cannot share theirs: ranks stay in their process.
  const auto value_of = [](const char* name) {
    const auto* const place = static_cast<const std::uint64_t*>(dlsym(RTLD_DEFAULT, name));
    return place != nullptr ? *place : 0;
  };
  return {value_of("__stack_chk_guard"), value_of("__pointer_chk_guard")};
#else
#error "say where this processor's C library keeps them"
#endif
}

/// The modules as they were when this was first asked for.
struct LoadedModules {
  LoadedModules() { dl_iterate_phdr(add_module, &sum); }
  std::uint64_t sum = 1;
};

std::uint64_t sum_of_modules() { return base::state<LoadedModules>().sum; }

}  // namespace

void note_modules() { (void)sum_of_modules(); }

std::uint64_t sum_of_addresses(const space::ControlHeader& job,
                               std::span<const void* const> places) {
  std::uint64_t sum = sum_of_modules();
  mix(sum, reinterpret_cast<std::uint64_t>(&job));
  mix(sum, reinterpret_cast<std::uint64_t>(&errno));
  mix(sum, reinterpret_cast<std::uint64_t>(&fibers::exception_state()));
  const Secrets shared = secrets();
  mix(sum, shared.stack_guard ^ (shared.pointer_guard << 1));
  // Copies of the program hold what the loader has chosen for the processor.
  const image::Copies* const copies = image::copies();
  mix(sum, copies != nullptr ? copies->plan().bound : 0);
  for (const void* place : places) mix(sum, reinterpret_cast<std::uint64_t>(place));
  return sum != 0 ? sum : 1;
}

bool compare_addresses(space::ControlHeader& job, std::uint64_t sum) {
  std::uint64_t nobodys = 0;
  const bool first =
      job.alike.addresses.compare_exchange_strong(nobodys, sum, std::memory_order_acq_rel);
  return (first || nobodys == sum) && fibers::malloc_knows_ranks();
}

void join_job(space::ControlHeader& job, bool same_addresses) {
  if (!same_addresses) job.alike.differ.fetch_add(1, std::memory_order_relaxed);
  job.alike.joined.fetch_add(1, std::memory_order_release);
}

std::string secrets_text() {
  const Secrets found = secrets();
  return fmt::format("{:016x}{:016x}", found.stack_guard, found.pointer_guard);
}

namespace {

struct NotAlike {
  std::string why = fmt::format("its memory comes from the process's heap: {}",
                                fibers::why_malloc_knows_no_ranks());
};

const char* why_layouts_differ(const space::ControlHeader& job) {
  if (!fibers::malloc_knows_ranks()) return base::state<NotAlike>().why.c_str();
  if (job.alike.differ.load(std::memory_order_relaxed) != 0)
    return "code or data lie at different addresses in the processes of this job, a library is "
           "another build in some, or they do not share the C library's secrets (ARMATURE_SECRETS: "
           "32 digits; else made of the user's "
           "number and of PMIX_NAMESPACE, or SLURM_JOB_ID and SLURM_STEP_ID). The "
           "randomisation of addresses is switched off for them; where a container forbids that "
           "(personality), allow it (docker run --security-opt seccomp=unconfined) or run the job "
           "in one process. On several machines the program, its libraries, the kernel and the "
           "limit of the stack (ulimit -s) must be the same";
  return nullptr;
}

}  // namespace

const char* why_not_move(const space::ControlHeader& job) {
  if (job.settings.on_death == space::OnDeath::go_on)
    return "they stay where they are in a job that goes on after deaths (--on-death continue)";
  return why_layouts_differ(job);
}

const char* why_not_write(const space::ControlHeader& job) {
  return job.nodes == 1 ? why_layouts_differ(job) : why_not_move(job);
}

const char* why_not_restart(const space::ControlHeader& job) {
  if (std::getenv(bootstrap::resize_variable) == nullptr)
    return "another launcher has started the job on several nodes, where it would have to be "
           "started anew: armature run --hosts with --checkpoint DIR does so";
  return why_not_move(job);
}

}  // namespace armature::migration
