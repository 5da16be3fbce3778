// Private memory that a virtual rank maps itself moves with it; what else it maps keeps it where it
// is as long as it is there.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include <armature/armature.hpp>
#include <armature/virtual.hpp>

#include "checks.hpp"

namespace {

using armature::owner_of;
using armature::World;

constexpr std::size_t page = 4096, bytes = 64 * page;
constexpr int access = PROT_READ | PROT_WRITE;

void move_on(World& world) {
  const int here = armature::process_of(world.rank()).number();
  armature::migrate(armature::ProcessId((here + 1) % armature::hosting_processes()));
}

unsigned char* map(std::size_t size = bytes, int flags = 0) {
  void* const pages = mmap(nullptr, size, access, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  require(pages != MAP_FAILED, "there is room");
  return static_cast<unsigned char*>(pages);
}

bool is_all(const unsigned char* from, std::size_t size, int value) {
  return std::all_of(from, from + size, [&](unsigned char c) { return c == value; });
}

void private_memory_moves_with_its_rank(World& world) {
  const int mine = world.rank() + 1;
  unsigned char* const pages = map();
  require(owner_of(pages) == world.rank() && is_all(pages, bytes, 0), "zeros in the segment");
  std::memset(pages, mine, bytes);
  move_on(world);
  require(is_all(pages, bytes, mine), "they came along");
  require(munmap(pages + bytes / 2, bytes / 2) == 0, "a part can go");
  move_on(world);
  require(is_all(pages, bytes / 2, mine), "the rest stays");
  unsigned char* const again = map();
  require(is_all(again, bytes, 0), "new memory is zeros");
  require(munmap(again, bytes) == 0 && munmap(pages, bytes / 2) == 0, "it can go");
  unsigned char* const large = map(bytes, MAP_HUGETLB | MAP_POPULATE);
  require(reinterpret_cast<std::uintptr_t>(large) % (std::size_t{2} << 20) == 0,
          "as large pages are");
  require(munmap(large, std::size_t{2} << 20) == 0, "it can go");
}

void it_grows_and_shrinks(World& world) {
  const int mine = world.rank() + 1;
  unsigned char* pages = map();
  std::memset(pages, mine, bytes);
  pages = static_cast<unsigned char*>(mremap(pages, bytes, 4 * bytes, MREMAP_MAYMOVE));
  require(pages != MAP_FAILED && owner_of(pages) == world.rank(), "it grows in the segment");
  move_on(world);
  require(is_all(pages, bytes, mine) && is_all(pages + bytes, 3 * bytes, 0), "with what is in it");
  require(mremap(pages, 4 * bytes, page, 0) == pages && is_all(pages, page, mine), "it shrinks");
  require(munmap(pages, page) == 0, "it can go");
}

void what_is_given_up_is_zeros(World& world) {
  unsigned char* const pages = map();
  for (const int advice : {MADV_DONTNEED, MADV_FREE}) {
    std::memset(pages, 1, bytes);
    require(madvise(pages + page, page, advice) == 0, "it can be given up");
    require(advice == MADV_FREE || is_all(pages + page, page, 0), "it is zeros then");
    require(is_all(pages, page, 1) && is_all(pages + 2 * page, page, 1), "and nothing else is");
  }
  require(mmap(pages, page, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == pages &&
              is_all(pages, page, 0),
          "as what is mapped once more");
  move_on(world);
  require(is_all(pages + 2 * page, page, 1), "the rest came along");
  require(munmap(pages, bytes) == 0, "it can go");
}

void require_to_stay(World& world, const char* since) {
  require(!armature::can_migrate(), since);
  std::string why;
  try {
    move_on(world);
  } catch (const armature::Error& error) {
    why = error.what();
  }
  require(armature::hosting_processes() == 1 ||
              why.find("has memory that it has mapped itself (mmap), which cannot move") !=
                  std::string::npos,
          since);
}

void other_mappings_keep_the_rank(World& world) {
  const int file = memfd_create("mapped", MFD_CLOEXEC);
  require(file >= 0 && ftruncate(file, bytes) == 0, "there is a file");
  for (const int flags : {MAP_SHARED, MAP_PRIVATE}) {
    void* const pages = mmap(nullptr, bytes, access, flags, file, 0);
    require_to_stay(world, "a file's pages are the process's");
    require(munmap(pages, page) == 0 && !armature::can_migrate(), "a part of them, too");
    require(munmap(static_cast<std::byte*>(pages) + page, bytes - page) == 0, "they go");
    require(armature::can_migrate(), "then it can move");
  }
  close(file);
  void* const reserved =
      mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  require_to_stay(world, "and so is what nobody may touch");
  require(munmap(reserved, bytes) == 0 && armature::can_migrate(), "until it is gone");
  const int segment = shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
  void* const shared = shmat(segment, nullptr, 0);
  shmctl(segment, IPC_RMID, nullptr);
  require_to_stay(world, "shared segments are, too");
  require(shmdt(shared) == 0 && armature::can_migrate(), "until they are gone");
}

void protected_pages_keep_the_rank(World& world) {
  unsigned char* const pages = map();
  require(mprotect(pages, page, PROT_NONE) == 0, "pages can be protected");
  require_to_stay(world, "which another process would not know of");
  require(mprotect(pages, page, access) == 0 && armature::can_migrate(), "until they are not");
  require(mprotect(pages, page, PROT_READ) == 0 && munmap(pages, bytes) == 0, "or are gone");
  require(armature::can_migrate(), "then it can move");
  unsigned char* const again = map();
  std::memset(again, 1, bytes);
  require(munmap(again, bytes) == 0, "and who is next may write there");
}

/// The network's library writes over functions that map memory: it is to hear of each mapping.
void the_network_does_not_change_that(World& world) {
  unsigned char* const pages = map();
  require(owner_of(pages) == world.rank(),
          "it lies in the segment also where there are several nodes");
  require(munmap(pages, bytes) == 0, "it can go");
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](World& world) {
    world.barrier();
    the_network_does_not_change_that(world);
    if (armature::domain_count(armature::Domain::smp) > 1) return;
    private_memory_moves_with_its_rank(world);
    it_grows_and_shrinks(world);
    what_is_given_up_is_zeros(world);
    other_mappings_keep_the_rank(world);
    protected_pages_keep_the_rank(world);
    world.barrier();
  });
}
