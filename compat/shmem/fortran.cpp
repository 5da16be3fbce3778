// Routines of Fortran that C has not, or has otherwise (OpenSHMEM 1.4). All others are generated.
#include "fortran.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include <armature/atomic.hpp>
#include <armature/get.hpp>
#include <armature/layer/wait.hpp>

#include "calls.hpp"

namespace shmem {
namespace {

/// A lock is an integer of 4 bytes, in which C's queue has no room: the number of the PE that holds
/// it, from 1 on, at the first PE. A PE that waits looks again and again.
class FortranLock {
 public:
  explicit FortranLock(int* lock)
      : holder_(at_pe(reinterpret_cast<std::uint32_t*>(lock), 0)),
        mine_(static_cast<std::uint32_t>(my_pe()) + 1) {}

  [[nodiscard]] bool try_enter() const {
    return armature::get(holder_) == 0 && armature::compare_swap(holder_, 0, mine_) == 0;
  }
  void enter() const {
    if (armature::get(holder_) == mine_)
      refuse("this PE has set the lock already", armature::Errc::misuse);
    constexpr std::uint64_t look_ns = 20'000;
    while (!try_enter())
      (void)armature::layer::wait_until({.call = "shmem_set_lock", .until = "it is unlocked"},
                                        look_ns, [] { return false; });
  }
  void leave() const {
    const std::uint32_t found = armature::compare_swap(holder_, mine_, 0);
    if (found == 0) refuse("nobody holds the lock", armature::Errc::misuse);
    if (found != mine_)
      refuse("PE " + std::to_string(found - 1) + " holds the lock, and not this PE " +
                 std::to_string(mine_ - 1),
             armature::Errc::misuse);
  }

 private:
  armature::global_ptr<std::uint32_t> holder_;
  std::uint32_t mine_;
};

// The codes that SHPALLOC and its kin write.
enum HeapError : int {
  done = 0,
  bad_length = -1,
  no_memory = -2,
  no_block = -5,
};

/// Writes the code, or ends the job where the program wants that.
void tell(const char* call, HeapError found, int* code, const int* ends_job) {
  *code = found;
  if (found == done || *ends_job == 0) return;
  fatal(call, found == bad_length  ? "the length is not positive"
              : found == no_memory ? "there is no memory for it"
                                   : "no block of the symmetric heap begins there");
}

constexpr std::size_t word_bytes = 4;

bool is_block(void* address) { return state_of("shpdeallc").heap.has(address); }

}  // namespace
}  // namespace shmem

using namespace shmem;

extern "C" {

void pshmem_set_lock_(int* lock) {
  insisted("shmem_set_lock", [&] { FortranLock(lock).enter(); });
}
void pshmem_clear_lock_(int* lock) {
  insisted("shmem_clear_lock", [&] {
    complete_all();  // what was done under the lock is there for the next one
    FortranLock(lock).leave();
  });
}
int pshmem_test_lock_(int* lock) {
  return insisted("shmem_test_lock", [&] {
    if (FortranLock(lock).try_enter()) return 0;
    armature::layer::progress();
    return 1;
  });
}

/// The name, with blanks behind it.
void pshmem_info_get_name_(char* name, std::size_t length) {
  insisted("shmem_info_get_name", [&] {
    char text[SHMEM_MAX_NAME_LEN];
    info_get_name(text);
    const std::size_t kept = std::min(length, std::strlen(text));
    std::memset(name, ' ', length);
    std::memcpy(name, text, kept);
  });
}

/// A Cray pointer to so many words of 32 bits.
void pshpalloc_(void** address, const int* length, int* code, const int* ends_job) {
  insisted("shpalloc", [&] {
    if (*length <= 0) return tell("shpalloc", bad_length, code, ends_job);
    void* const block = allocate(count_of(*length) * word_bytes);
    if (block != nullptr) *address = block;
    tell("shpalloc", block == nullptr ? no_memory : done, code, ends_job);
  });
}
void pshpdeallc_(void** address, int* code, const int* ends_job) {
  insisted("shpdeallc", [&] {
    if (!is_block(*address)) return tell("shpdeallc", no_block, code, ends_job);
    release(*address);
    tell("shpdeallc", done, code, ends_job);
  });
}
/// 1 in `code` says that the block has moved.
void pshpclmove_(void** address, const int* length, int* code, const int* ends_job) {
  insisted("shpclmove", [&] {
    if (*length <= 0) return tell("shpclmove", bad_length, code, ends_job);
    if (!is_block(*address)) return tell("shpclmove", no_block, code, ends_job);
    void* const block = reallocate(*address, count_of(*length) * word_bytes);
    if (block == nullptr) return tell("shpclmove", no_memory, code, ends_job);
    *code = block == *address ? 0 : 1;
    *address = block;
  });
}

// The names of the twins above.
[[gnu::weak, gnu::alias("pshmem_set_lock_")]] void shmem_set_lock_(int* lock);
[[gnu::weak, gnu::alias("pshmem_clear_lock_")]] void shmem_clear_lock_(int* lock);
[[gnu::weak, gnu::alias("pshmem_test_lock_")]] int shmem_test_lock_(int* lock);
[[gnu::weak, gnu::alias("pshmem_info_get_name_")]] void shmem_info_get_name_(char* name,
                                                                             std::size_t length);
[[gnu::weak, gnu::alias("pshpalloc_")]] void shpalloc_(void** address, const int* length, int* code,
                                                       const int* ends_job);
[[gnu::weak, gnu::alias("pshpdeallc_")]] void shpdeallc_(void** address, int* code,
                                                         const int* ends_job);
[[gnu::weak, gnu::alias("pshpclmove_")]] void shpclmove_(void** address, const int* length,
                                                         int* code, const int* ends_job);
}  // extern "C"
