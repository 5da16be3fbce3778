// A program that brings a malloc of its own, or an operator new that gives memory from a pool. The
// memory of its ranks does not lie in their segments, so they do not move and are not written, as
// is said at the start. Built several times: OWN says what it brings.
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include <armature/armature.hpp>
#include <armature/checkpoint.hpp>
#include <armature/virtual.hpp>

#include "checks.hpp"

#define OWN_malloc 1
#define OWN_aligned_alloc 2
#define OWN_operator_new 3
#define OWN_pool 4

extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* memory);
}

// Visible as allocators are built: for all libraries of the process.
#pragma GCC visibility push(default)
#if OWN == OWN_malloc
extern "C" {
void* malloc(std::size_t bytes) { return __libc_malloc(bytes); }
void* calloc(std::size_t count, std::size_t bytes) { return __libc_calloc(count, bytes); }
void* realloc(void* memory, std::size_t bytes) { return __libc_realloc(memory, bytes); }
void free(void* memory) { __libc_free(memory); }
}
#elif OWN == OWN_aligned_alloc
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return __libc_memalign(alignment, bytes);
}
#elif OWN == OWN_operator_new
void* operator new(std::size_t bytes) { return __libc_malloc(bytes); }
void operator delete(void* memory) noexcept { __libc_free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { __libc_free(memory); }
#elif OWN == OWN_pool
/// Takes much from malloc at a time, and keeps it.
void* operator new(std::size_t bytes) {
  static std::byte* next = nullptr;
  static std::size_t left = 0;
  bytes = (bytes + 15) / 16 * 16;
  if (bytes > 4096) return std::malloc(bytes);
  if (bytes > left) next = static_cast<std::byte*>(std::malloc(left = std::size_t{64} << 10));
  next += bytes;
  left -= bytes;
  return next - bytes;
}
void operator delete(void* /*memory*/) noexcept {}
void operator delete(void* /*memory*/, std::size_t /*bytes*/) noexcept {}
#else
#error "say what is its own"
#endif
#pragma GCC visibility pop

template <class Call>
bool is_refused(Call&& call) {
  try {
    call();
  } catch (const armature::Error& error) {
    return error.code() == armature::Errc::misuse;
  }
  return false;
}

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](armature::World& world) {
    const int me = world.rank(), here = armature::process_of(world.rank()).number();
    const std::string line(60, static_cast<char>('a' + me));
    const std::vector<std::string> lines(1000, line);
    void* const aligned = std::aligned_alloc(64, 640);
    require(!armature::can_migrate() && !armature::can_checkpoint(), "they stay");
    const armature::ProcessId other((here + 1) % armature::hosting_processes());
    require(is_refused([&] { armature::migrate(other); }), "a rank cannot move");
    require(is_refused([] { armature::checkpoint("no_such_folder"); }), "and is not written");
    for (int i = 0; i < 100; ++i) armature::yield();
    world.barrier();
    require(armature::process_of(world.rank()).number() == here && world.rank() == me,
            "it is here");
    for (const std::string& one : lines) require(one == line, "and so is what it has");
    std::free(aligned);
    if (me == 0) std::puts("they have stayed");
  });
}
