#pragma once

#include <cstddef>

#include "order.hpp"
#include "place.hpp"
#include "state.hpp"
#include "teams.hpp"

namespace shmem {

/// Joins the job when it is first called. Calls that are matched by shmem_finalize may nest.
void init();
int init_thread(int requested, int* provided);
void query_thread(int* provided);
void query_initialized(int* initialized);
void finalize();
void start_pes(int npes);
[[noreturn]] void global_exit(int status);

[[nodiscard]] int my_pe();
[[nodiscard]] int n_pes();
[[nodiscard]] int pe_accessible(int pe);
[[nodiscard]] int addr_accessible(const void* address, int pe);
/// Returns the same place at that PE for loads and stores, or nullptr.
[[nodiscard]] void* ptr(const void* address, int pe);
[[nodiscard]] void* team_ptr(shmem_team_t team, const void* address, int pe);
void info_get_version(int* major, int* minor);
void info_get_name(char* name);

[[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = 1);
[[nodiscard]] void* allocate_zeroed(std::size_t count, std::size_t bytes);
[[nodiscard]] void* reallocate(void* block, std::size_t bytes);
void release(void* block);

void set_lock(long* lock);
void clear_lock(long* lock);
[[nodiscard]] int test_lock(long* lock);

}  // namespace shmem
