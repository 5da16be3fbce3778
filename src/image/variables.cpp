#include "image/variables.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "base/checksum.hpp"
#include "base/fail.hpp"
#include "base/runtime.hpp"

namespace armature::image {
namespace {

/// Variables that were moved. `copy` is there while the process is forked.
struct Moved {
  std::byte* begin = nullptr;
  std::size_t bytes = 0;
  void* copy = MAP_FAILED;
};

/// mremap to a place: 0 old bytes of a shared mapping are mapped a second time. The C library's
/// name for it may be UCX's by now, which forgets the place.
bool map_to(std::byte* place, void* from, std::size_t old_bytes, std::size_t bytes) {
  return syscall(SYS_mremap, from, old_bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place) ==
         static_cast<long>(reinterpret_cast<std::intptr_t>(place));
}

/// Copies pages to memory that holds zeros. Pages of zeros are left out: they take no memory there.
void copy_pages(std::byte* to, const std::byte* from, std::size_t bytes) {
  static constexpr std::byte zeros[page] = {};
  for (std::size_t at = 0; at < bytes; at += page)
    if (std::memcmp(from + at, zeros, page) != 0) std::memcpy(to + at, from + at, page);
}

// A child that wrote to its parent's variables would change what other ranks see. The copy is made
// before there is a child: the parent goes on at once.
void before_fork() {
  Moved& moved = base::state<Moved>();
  moved.copy = mmap(nullptr, moved.bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (moved.copy != MAP_FAILED)
    copy_pages(static_cast<std::byte*>(moved.copy), moved.begin, moved.bytes);
}
void after_fork_in_parent() {
  Moved& moved = base::state<Moved>();
  if (moved.copy != MAP_FAILED) munmap(moved.copy, moved.bytes);
}
void after_fork_in_child() {
  Moved& moved = base::state<Moved>();
  if (moved.copy != MAP_FAILED) (void)map_to(moved.begin, moved.copy, moved.bytes, moved.bytes);
}

std::uint64_t number_of(const Loaded& program) {
  std::uint64_t number = base::checksum(std::as_bytes(program.headers));
  // The notes have the program's build, where the linker gives it one.
  for (const ElfW(Phdr) & one : program.headers)
    if (one.p_type == PT_NOTE)
      number = base::checksum(program.table<std::byte>(one.p_vaddr, one.p_filesz), number);
  return number;
}

}  // namespace

Variables variables_of(const Loaded& program) {
  std::uintptr_t begin = UINTPTR_MAX, end = 0;
  for (const ElfW(Phdr) & part : program.headers)
    if (part.p_type == PT_LOAD && (part.p_flags & PF_W) != 0) {
      begin = std::min(begin, page_below(program.base + part.p_vaddr));
      end = std::max(end, page_above(program.base + part.p_vaddr + part.p_memsz));
    }
  // The loader has taken the right to write to what it has relocated. It lies in front.
  if (const ElfW(Phdr)* const constants = program.header(PT_GNU_RELRO))
    begin = std::max(begin, page_below(program.base + constants->p_vaddr + constants->p_memsz));
  if (begin >= end) base::fail(Errc::start, "the program has no variables");
  for (const ElfW(Phdr) & part : program.headers) {
    const std::uintptr_t at = program.base + part.p_vaddr;
    if (part.p_type == PT_LOAD && (part.p_flags & PF_W) == 0 && at < end &&
        begin < page_above(at + part.p_memsz))
      base::fail(Errc::start, "the program has code or constants between its variables");
  }
  return {reinterpret_cast<std::byte*>(begin), end - begin, number_of(program)};
}

bool holds_library(const Loaded& program) {
  const auto here = reinterpret_cast<std::uintptr_t>(&variables_of);
  return program.part_of(here - program.base) != nullptr;
}

void move_variables(const Variables& variables, std::byte* place) {
  Moved& moved = base::state<Moved>();
  if (moved.bytes != 0) base::fail(Errc::start, "the program's variables were moved already");
  copy_pages(place, variables.begin, variables.bytes);
  // In one step, so that the program has its variables at any time.
  if (!map_to(variables.begin, place, 0, variables.bytes))
    base::fail(Errc::start,
               fmt::format("the program's variables cannot be mapped to its segment: {}",
                           base::system_text(errno)));
  // Segments are not in core files but for what is used; the variables are.
  (void)madvise(variables.begin, variables.bytes, MADV_DODUMP);
  moved = {.begin = variables.begin, .bytes = variables.bytes};
  if (const int error = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
      error != 0)
    base::fail(Errc::start, base::system_text(error));
}

}  // namespace armature::image
