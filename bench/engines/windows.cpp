// Windows of transfers by a network engine's own calls between two processes, as papers/transfers.c
// measures them by ours (armci-rma-2006, figures 14 to 16). It is linked with one engine: UCX,
// libfabric, or the card of the tests.
//
//   build/bin/bench/windows_ucx, windows_fabric, windows_card [--check]
//
// Prints lines of operation, bytes and nanoseconds of a transfer, separated by tabs, each the
// middle one of several batches. The other process does nothing but answer. Before that, and alone
// with --check, it is checked that bytes that are put come back.
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "bench/native.hpp"

extern "C" armature::bench::Native* armature_open_native(std::span<std::byte> memory, char* problem,
                                                         std::size_t problem_bytes);

namespace {

using armature::bench::Native;
using Clock = std::chrono::steady_clock;

constexpr std::size_t longest = std::size_t{1} << 20;
constexpr int window = 8, batches = 7;
constexpr std::size_t room = window * longest;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "windows: %s\n", what);
  std::_Exit(1);
}

/// Memory of a file, which a card can reach. The second half is what this process puts and gets
/// itself.
std::span<std::byte> memory_of_a_file() {
  const int file = memfd_create("windows", 0);
  void* const at = file < 0 || ftruncate(file, 2 * room) != 0
                       ? MAP_FAILED
                       : mmap(nullptr, 2 * room, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (at == MAP_FAILED) fail("there is no memory");
  std::fill_n(static_cast<std::byte*>(at), 2 * room, std::byte{});
  return {static_cast<std::byte*>(at), 2 * room};
}

void give(int socket, std::span<const std::byte> bytes) {
  const std::size_t count = bytes.size();
  if (write(socket, &count, sizeof count) != sizeof count ||
      write(socket, bytes.data(), count) != static_cast<ssize_t>(count))
    fail("the other process has ended");
}

std::vector<std::byte> take(int socket) {
  std::size_t count = 0;
  if (read(socket, &count, sizeof count) != sizeof count) fail("the other process has ended");
  std::vector<std::byte> bytes(count);
  for (std::size_t at = 0; at < count;) {
    const ssize_t got = read(socket, bytes.data() + at, count - at);
    if (got <= 0) fail("the other process has ended");
    at += static_cast<std::size_t>(got);
  }
  return bytes;
}

template <class Call>
double batch_ns(Call&& call, long calls) {
  const auto start = Clock::now();
  for (long i = 0; i < calls; ++i) call();
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count() /
         static_cast<double>(calls);
}

/// Some 8 ms a batch, as of papers/transfers.c.
template <class Call>
void row(const char* operation, std::size_t bytes, Call&& call) {
  call();
  const double once = batch_ns(call, 2);
  const long calls = std::max(2L, static_cast<long>(8e6 / std::max(1.0, once)));
  std::array<double, batches> ns{};
  for (double& one : ns) one = batch_ns(call, calls);
  std::ranges::nth_element(ns, ns.begin() + batches / 2);
  std::printf("%s\t%zu\t%.2f\n", operation, bytes, ns[batches / 2] / window);
  std::fflush(stdout);
}

void measure(Native& native, std::byte* own) {
  const auto until = Clock::now() + std::chrono::milliseconds(100);
  while (Clock::now() < until) native.put(0, own, 4096, window);
  for (std::size_t bytes = 8; bytes <= longest; bytes *= bytes < 1024 ? 8 : 4) {
    row("put.window", bytes, [&] { native.put(0, own, bytes, window); });
    row("get.window", bytes, [&] { native.get(own, 0, bytes, window); });
  }
}

/// Bytes that are put come back: an engine that moves nothing is fast.
void check(Native& native, std::byte* own) {
  for (std::size_t i = 0; i < room; ++i) own[i] = static_cast<std::byte>(i * 7 + i / 251);
  const std::vector<std::byte> sent(own, own + room);
  native.put(0, own, longest, window);
  std::fill_n(own, room, std::byte{});
  native.get(own, 0, longest, window);
  if (!std::equal(sent.begin(), sent.end(), own)) fail("what was put does not come back");
}

/// Binds each process to a core of its own, where there are two, as `armature run` does.
void bind_to_core(bool is_first) {
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof usable, &usable) != 0 || CPU_COUNT(&usable) < 2) return;
  int cores_before = is_first ? 0 : 1, core = 0;
  while (!CPU_ISSET(core, &usable) || cores_before-- > 0) ++core;
  cpu_set_t own;
  CPU_ZERO(&own);
  CPU_SET(core, &own);
  (void)sched_setaffinity(0, sizeof own, &own);
}

void run(int socket, bool is_first, bool measures) {
  bind_to_core(is_first);
  const std::span<std::byte> memory = memory_of_a_file();
  char problem[256] = "";
  Native* const native = armature_open_native(memory, problem, sizeof problem);
  if (native == nullptr) fail(problem);
  give(socket, native->address());
  if (const char* const wrong = native->connect(take(socket))) fail(wrong);
  if (is_first) {
    check(*native, memory.data() + room);
    if (measures) measure(*native, memory.data() + room);
    native->release();
    (void)take(socket);  // it has been released
  } else {
    native->answer();
    give(socket, {});
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool checks = argc == 2 && std::strcmp(argv[1], "--check") == 0;
  if (argc > 1 && !checks) fail("usage: windows_ENGINE [--check]");
  alarm(120);  // an engine may wait for a process that has ended
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) fail("there is no socket");
  const pid_t parent = getpid(), child = fork();
  if (child < 0) fail("there is no second process");
  if (child == 0 && (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)) return 1;
  close(sockets[child == 0 ? 0 : 1]);
  run(sockets[child == 0 ? 1 : 0], child != 0, !checks);
  if (checks && child != 0) std::puts("what is put comes back");
  std::fflush(nullptr);
  if (child != 0) (void)waitpid(child, nullptr, 0);
  std::_Exit(0);  // engines that end take their time, and say what no one asked for
}
