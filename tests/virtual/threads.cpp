// Memory that the threads of a virtual rank allocate is the rank's: it goes where the rank goes
// when they have ended, and until then the rank stays. The threads of OpenMP's regions are the
// process's.
#include <threads.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include <armature/armature.hpp>
#include <armature/checkpoint.hpp>
#include <armature/virtual.hpp>

#include "checks.hpp"

namespace {

using armature::owner_of;
using armature::World;

void move_on(World& world) {
  const int here = armature::process_of(world.rank()).number();
  armature::migrate(armature::ProcessId((here + 1) % armature::hosting_processes()));
}

std::string line_of(World& world, std::size_t i) {
  return std::string(50 + i % 50,
                     static_cast<char>('a' + (world.rank() + static_cast<int>(i)) % 26));
}

void require_lines(World& world, const std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    require(owner_of(lines[i].data()) == world.rank(), "it lies in the rank's segment");
    require(lines[i] == line_of(world, i), "what a thread has made came along");
  }
}

void what_threads_allocate_moves_with_their_rank(World& world) {
  std::vector<std::string> lines(6000);
  {
    std::vector<std::jthread> threads;
    for (std::size_t first = 0; first < 3; ++first)
      threads.emplace_back([&, first] {
        for (std::size_t i = first; i < lines.size(); i += 3) lines[i] = line_of(world, i);
      });
    // The rank itself allocates at the same time.
    for (int i = 0; i < 3000; ++i) require(!std::string(60, 'x').empty(), "it allocates, too");
  }
  move_on(world);
  require_lines(world, lines);
  lines.clear();
}

void threads_of_threads_work_for_the_rank_too(World& world) {
  std::vector<std::string> lines(100);
  std::thread([&] {
    std::async(std::launch::async, [&] {
      for (std::size_t i = 0; i < lines.size(); ++i) lines[i] = line_of(world, i);
    }).get();
  }).join();
  move_on(world);
  require_lines(world, lines);
}

void those_that_c_starts_do(World& world) {
  struct Work {
    std::string* text;
    World& world;
  } work{new std::string, world};
  thrd_t thread{};
  const auto run = [](void* of) {
    auto& [text, of_world] = *static_cast<Work*>(of);
    *text = line_of(of_world, 7);
    return -5;
  };
  require(thrd_create(&thread, run, &work) == thrd_success, "C can start threads");
  int result = 0;
  require(thrd_join(thread, &result) == thrd_success && result == -5, "and has their result");
  move_on(world);
  require(*work.text == line_of(world, 7), "what it has made came along");
  delete work.text;
}

/// Is destroyed when its thread ends.
struct Last {
  std::string* at_end = nullptr;
  ~Last() {
    if (at_end != nullptr) *at_end = std::string(100, 'z');
  }
};
thread_local Last last;

void destructors_of_its_thread_locals_still_work_for_the_rank(World& world) {
  std::string text;
  std::thread([&] { last.at_end = &text; }).join();
  require(owner_of(text.data()) == world.rank() && text == std::string(100, 'z'), "they do");
}

/// A folder of this job alone.
std::string folder(World& world) {
  const char* const scratch = std::getenv("TEST_TMPDIR");
  return std::string(scratch != nullptr ? scratch : "/tmp") + "/threads." +
         std::to_string(world.size()) + "." + std::to_string(armature::hosting_processes());
}

void a_rank_with_threads_stays(World& world) {
  std::atomic<bool> may_end = false;
  std::jthread thread([&] {
    while (!may_end) std::this_thread::yield();
  });
  require(!armature::can_migrate(), "it cannot move");
  std::string why;
  try {
    move_on(world);
  } catch (const armature::Error& error) {
    why = error.what();
  }
  require(
      armature::hosting_processes() == 1 || why.find("has threads of its own") != std::string::npos,
      "and says why");
  try {
    armature::checkpoint(folder(world));
    require(false, "it cannot be written");
  } catch (const armature::Error& error) {
    why = error.what();
  }
  require(why.find("has threads of its own that have not ended, which cannot be written") !=
              std::string::npos,
          "and that says why");
  may_end = true;
  thread.join();
  require(armature::can_migrate(), "when they have ended it can");
}

#ifdef _OPENMP
/// OpenMP's pool of threads is the process's, and was made by whichever rank came first.
void what_openmp_s_threads_allocate_moves_with_the_rank(World& world) {
  for (int round = 0; round < 4; ++round) {
    std::vector<std::string> lines(3000);
#pragma omp parallel for
    for (std::size_t i = 0; i < 1000; ++i) lines[i] = line_of(world, i);
#pragma omp parallel for schedule(dynamic, 10)
    for (std::size_t i = 1000; i < 2000; ++i) lines[i] = line_of(world, i);
#pragma omp parallel
#pragma omp single
    for (std::size_t i = 2000; i < 3000; ++i)
#pragma omp task shared(lines)
      lines[i] = line_of(world, i);
    require(armature::can_migrate(), "between regions nothing keeps it");
    move_on(world);
    require_lines(world, lines);
  }
}
#endif

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](World& world) {
    what_threads_allocate_moves_with_their_rank(world);
    threads_of_threads_work_for_the_rank_too(world);
    those_that_c_starts_do(world);
    destructors_of_its_thread_locals_still_work_for_the_rank(world);
    a_rank_with_threads_stays(world);
#ifdef _OPENMP
    what_openmp_s_threads_allocate_moves_with_the_rank(world);
#endif
    world.barrier();
  });
}
