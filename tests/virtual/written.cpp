// Memory that threads of virtual ranks have allocated, and that ranks have mapped, is written to
// disk with them. The job is ended behind its checkpoint, and goes on from there.
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <armature/armature.hpp>
#include <armature/checkpoint.hpp>

#include "checks.hpp"

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](armature::World& world) {
    constexpr std::size_t bytes = std::size_t{1} << 20;
    const int value = world.rank() + 1;
    const std::string line(70, static_cast<char>('a' + value));
    std::vector<std::string> lines(1000);
    std::thread([&] { std::ranges::fill(lines, line); }).join();
    auto* const pages = static_cast<unsigned char*>(
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    std::memset(pages, value, bytes);
    if (!armature::checkpoint()) {
      world.barrier();
      if (world.rank() == 0) armature::abort(77, "it goes on from the checkpoint");
      world.barrier();
    }
    require(std::ranges::all_of(lines, [&](const std::string& l) { return l == line; }),
            "what a thread has allocated is there");
    require(std::all_of(pages, pages + bytes, [&](int byte) { return byte == value; }),
            "and so is what was mapped");
    world.barrier();
    if (world.rank() == 0) std::puts("all is there");
  });
}
