// This program measures what globals of one's own cost: `armature bench virtual` runs it with
// --private-globals=on, and off. It prints nanoseconds, and behind them those of the limit, if any.
//
//   globals_small start    only joins the job
//                 copy     the processor's time until all ranks of a process have begun, for each;
//                          limit: writing as many fresh pages of a memory file as hold the
//                          program's initial values
//                 switch   from a rank to the other one of its process
//                 migrate  to the other process of two
//
// This program is compiled twice. GLOBALS_BYTES is the size of its variables with initial values,
// GLOBALS_LOCALS that of its thread-local ones.
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <ctime>
#include <string_view>
#include <vector>

#include <armature/armature.hpp>
#include <armature/collectives.hpp>
#include <armature/virtual.hpp>

#include "bench/sample.hpp"

namespace {

using armature::bench::median;
using armature::bench::now_ns;

/// Time of the processor: starting ranks waits for nobody, and other programs are left out.
double busy_ns() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

constexpr std::size_t page = 4096;
[[gnu::used]] char variables[GLOBALS_BYTES] = {1};
#if GLOBALS_LOCALS > 0
[[gnu::used]] thread_local char locals[GLOBALS_LOCALS] = {1};
#endif

/// So that nothing is left out of the program.
void use_all(int rank) {
  volatile char* const used = variables;
  used[0] = static_cast<char>(rank);
#if GLOBALS_LOCALS > 0
  volatile char* const its_own = locals;
  its_own[GLOBALS_LOCALS - 1] = static_cast<char>(rank);
#endif
}

/// The pages that hold initial values.
std::size_t pages_of_program() {
  std::size_t pages = 0;
  const auto count = [](dl_phdr_info* info, std::size_t, void* to) {
    for (int i = 0; i < info->dlpi_phnum; ++i)
      if (const ElfW(Phdr)& part = info->dlpi_phdr[i];
          part.p_type == PT_LOAD && (part.p_flags & PF_W) != 0)
        *static_cast<std::size_t*>(to) +=
            (part.p_vaddr + part.p_filesz + page - 1) / page - part.p_vaddr / page;
    return 1;  // the program is the first one
  };
  dl_iterate_phdr(count, &pages);
  return pages;
}

/// Nanoseconds of writing pages of a memory file that nobody has touched, `times` so many at a
/// time.
double fresh_pages_ns(std::size_t pages, int times) {
  const std::size_t bytes = pages * page, all = 2 * bytes * static_cast<std::size_t>(times);
  const int file = memfd_create("globals", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(all)) != 0)
    armature::abort(1, "globals_small: no memory file");
  void* const mapped = mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) armature::abort(1, "globals_small: no memory");
  const std::vector<char> values(bytes, 1);
  const double begin = busy_ns();
  for (int i = 0; i < times; ++i)
    std::memcpy(static_cast<char*>(mapped) + 2 * bytes * static_cast<std::size_t>(i), values.data(),
                bytes);
  const double ns = (busy_ns() - begin) / times;
  munmap(mapped, all);
  close(file);
  return ns;
}

void copy(armature::World& world, double begun) {
  const double last = armature::allreduce(world, busy_ns() - begun, armature::Maximum());
  if (world.rank() != 0) return;
  std::printf("%.1f %.1f\n", last / world.size(), fresh_pages_ns(pages_of_program(), world.size()));
}

/// The one in the middle of many batches, for each of so many calls.
template <class Body>
double batches_ns(int batches, int calls, Body body) {
  std::vector<double> each;
  for (int batch = 0; batch < batches; ++batch) {
    const double begin = now_ns();
    for (int i = 0; i < calls; ++i) body();
    each.push_back((now_ns() - begin) / calls);
  }
  return median(each);
}

/// Each of two ranks hands its turn to the other. They do it at two places of the program, as ranks
/// of programs do: processors foresee where a function returns to, and would be right by chance.
template <int Place>
[[gnu::noinline]] double at_a_place() {
  return batches_ns(60, 10'000, [] { armature::yield(); }) / 2;
}
void switch_ranks(armature::World& world) {
  world.barrier();
  const double ns = world.rank() == 0 ? at_a_place<0>() : at_a_place<1>();
  if (world.rank() == 0) std::printf("%.2f\n", ns);
}

/// Rank 0 goes to the other process and back.
void migrate(armature::World& world) {
  if (world.rank() == 0) {
    const int home = armature::process_of(world.rank()).number();
    const auto there_and_back = [home] {
      armature::migrate(armature::ProcessId(1 - home));
      armature::migrate(armature::ProcessId(home));
    };
    std::printf("%.1f\n", batches_ns(60, 50, there_and_back) / 2);
  }
  world.barrier();
}

void run(armature::World& world, std::string_view what, double begun) {
  use_all(world.rank());
  if (what == "copy") copy(world, begun);
  if (what == "switch") switch_ranks(world);
  if (what == "migrate") migrate(world);
}

}  // namespace

int main(int argc, char** argv) {
  const double begun = busy_ns();
  const std::string_view what = argc > 1 ? argv[1] : "start";
  return armature::run(argc, argv, [=](armature::World& world) { run(world, what, begun); });
}
