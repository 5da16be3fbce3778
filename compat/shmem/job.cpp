#include "job.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <armature/collectives.hpp>
#include <armature/layer/races.hpp>
#include <armature/locality.hpp>
#include <armature/operators.hpp>
#include <armature/run.hpp>
#include <armature/virtual.hpp>

#include "calls.hpp"
#include "main.hpp"
#include "settings.hpp"

namespace shmem {
namespace {

void print_settings() {
  if (setting("VERSION") != nullptr)
    std::fprintf(stderr, "OpenSHMEM %d.%d, %s\n", SHMEM_MAJOR_VERSION, SHMEM_MINOR_VERSION,
                 SHMEM_VENDOR_STRING);
  if (setting("INFO") != nullptr)
    std::fputs(
        "SHMEM_VERSION         prints the library's version\n"
        "SHMEM_INFO            prints this\n"
        "SHMEM_SYMMETRIC_SIZE  limits the symmetric heap: a number, and K, M, G or T; without it, "
        "it grows\n"
        "SHMEM_DEBUG           checks that all PEs pass the same sizes to calls of the heap\n"
        "Each may begin with SMA_ instead, as of old.\n",
        stderr);
}

/// Ends the job where PEs have not passed the same length. Looks only with SHMEM_DEBUG.
void require_same(const char* call, std::size_t bytes) {
  if (setting("DEBUG") == nullptr) return;
  const armature::World& world = world_of(call);
  const std::size_t least = armature::allreduce(world, bytes, armature::Minimum());
  const std::size_t most = armature::allreduce(world, bytes, armature::Maximum());
  if (least != most)
    refuse("PEs ask for " + std::to_string(least) + " to " + std::to_string(most) +
           " bytes, this one for " + std::to_string(bytes) + ": all must ask for the same");
}

}  // namespace

void init() {
  if (!armature::initialized()) {
    armature::init();
    if (!is_of_main()) leave_at_exit();
  }
  State& here = state();
  if (here.begun++ > 0) return;
  armature::World& world = armature::world();
  looks_for_races = armature::layer::looks_for_races();
  if (looks_for_races) armature::layer::order_strictly();
  if (world.rank() == 0) print_settings();
  here.was_finalized = false;
  here.own_thread = std::this_thread::get_id();
  here.heap.open();
  here.statics.open();
  here.active_sets.open();
  here.shared.team = world.split(armature::node_of(world.rank()).number(), world.rank());
  if (!looks_for_races && here.shared.team.size() == world.size()) let_programs_look();
  world.barrier();
}

int init_thread(int requested, int* provided) {
  if (requested < SHMEM_THREAD_SINGLE || requested > SHMEM_THREAD_MULTIPLE) return -1;
  init();
  State& here = state();
  // A rank that shares its process has one thread of control: others of the process are not its.
  const int most = armature::rank_kind() == armature::RankKind::process ? SHMEM_THREAD_MULTIPLE
                                                                        : SHMEM_THREAD_FUNNELED;
  here.threads = std::max(here.threads, std::min(requested, most));
  if (provided != nullptr) *provided = here.threads;
  return 0;
}

void query_thread(int* provided) { *provided = state_of("shmem_query_thread").threads; }

void query_initialized(int* initialized) {
  *initialized = armature::initialized() ? state().begun : 0;
}

void end_rank() {
  State& here = state();
  if (here.begun == 0) return;
  here.begun = 1;
  finalize();
}

void finalize() {
  State& here = state_of("shmem_finalize");
  complete_all();
  world_of("shmem_finalize").barrier();
  if (--here.begun > 0) return;
  here.heap.close();
  here.shared = {};
  here.active_sets.close();
  here.contexts.clear();
  here.teams.clear();
  here.was_finalized = true;
}

void start_pes(int /*npes*/) {
  if (!armature::initialized() || state().begun == 0) init();
}

void global_exit(int status) {
  const std::string said = "shmem_global_exit(" + std::to_string(status) + ")";
  if (status == 0) armature::end_job(said);
  armature::abort(status, said);
}

int my_pe() { return world_of("shmem_my_pe").rank(); }
int n_pes() { return world_of("shmem_n_pes").size(); }

int pe_accessible(int pe) { return pe >= 0 && pe < n_pes() ? 1 : 0; }
int addr_accessible(const void* address, int pe) {
  if (pe_accessible(pe) == 0) return 0;
  const State& here = state_of("shmem_addr_accessible");
  return here.heap.contains(address) || here.statics.contains(address) ? 1 : 0;
}

void* ptr(const void* address, int pe) {
  if (addr_accessible(address, pe) == 0) return nullptr;
  if (pe == my_pe()) return const_cast<void*>(address);
  if (!armature::same_node(my_pe(), pe)) return nullptr;
  return at_pe(const_cast<void*>(address), pe).address();
}
void* team_ptr(shmem_team_t team, const void* address, int pe) {
  const int world_pe = team_translate_pe(team, pe, SHMEM_TEAM_WORLD);
  return world_pe < 0 ? nullptr : ptr(address, world_pe);
}

void info_get_version(int* major, int* minor) {
  *major = SHMEM_MAJOR_VERSION;
  *minor = SHMEM_MINOR_VERSION;
}
void info_get_name(char* name) { std::strcpy(name, SHMEM_VENDOR_STRING); }

void* allocate(std::size_t bytes, std::size_t alignment) {
  State& here = state_of("shmem_malloc");
  const CollectiveTurn turn(here);
  require_same("shmem_malloc", bytes);
  if (bytes == 0) return nullptr;
  void* const block = here.heap.allocate(bytes, alignment);
  if (block != nullptr) barrier_all();
  return block;
}

void* allocate_zeroed(std::size_t count, std::size_t bytes) {
  std::size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) return nullptr;
  State& here = state_of("shmem_calloc");
  const CollectiveTurn turn(here);
  require_same("shmem_calloc", all);
  if (all == 0) return nullptr;
  void* const block = here.heap.allocate(all, 1);
  if (block == nullptr) return nullptr;
  std::memset(block, 0, all);
  barrier_all();
  return block;
}

void* reallocate(void* block, std::size_t bytes) {
  if (block == nullptr) return allocate(bytes);
  if (bytes == 0) {
    release(block);
    return nullptr;
  }
  State& here = state_of("shmem_realloc");
  const CollectiveTurn turn(here);
  require_same("shmem_realloc", bytes);
  const std::size_t before = here.heap.bytes_of(block);
  barrier_all();
  if (bytes <= before) return block;
  void* const other = here.heap.allocate(bytes, 1);
  if (other == nullptr) return nullptr;
  std::memcpy(other, block, before);
  here.heap.release(block);
  barrier_all();
  return other;
}

void release(void* block) {
  if (block == nullptr) return;
  State& here = state_of("shmem_free");
  const CollectiveTurn turn(here);
  (void)here.heap.bytes_of(block);
  barrier_all();
  here.heap.release(block);
}

}  // namespace shmem
