// works_on SECONDS [FOLDER]: ranks put, get, add and call each other and compare all that they
// find, for so long. What is lost, or comes twice, is found. Each process writes its address into
// the folder, for whoever wants to speak to it.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <armature/armature.hpp>

#include "net/network.hpp"

namespace {

constexpr std::size_t words = 40'000;  // a stream, as it is longer than a packet

void write_address(const std::string& folder) {
  armature::transport::Links& links = armature::net::network()->links();
  const auto address = links.engine().address();
  std::ofstream file(folder + "/address-" + std::to_string(links.process()), std::ios::binary);
  file.write(reinterpret_cast<const char*>(address.data()),
             static_cast<std::streamsize>(address.size()));
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [&](armature::World& world) {
    const double seconds = argc > 1 ? std::atof(argv[1]) : 1;
    auto block = world.allocate<long>(words);
    auto sum = world.allocate<long>(1);
    sum[0] = 0;
    if (argc > 2) write_address(argv[2]);
    world.barrier();
    if (world.rank() == 0) {
      std::printf("begins\n");
      std::fflush(stdout);
    }
    const auto begun = std::chrono::steady_clock::now();
    const int right = (world.rank() + 1) % world.size();
    long rounds = 0;
    bool well = true, on = true;
    while (on) {
      ++rounds;
      std::vector<long> mine(words, rounds * 1000 + world.rank());
      armature::put(block.on(right), mine);
      (void)armature::fetch_add(sum.on(0), 1L);
      world.barrier();
      const long left = rounds * 1000 + (world.rank() + world.size() - 1) % world.size();
      for (std::size_t i = 0; i < words; ++i) well = well && block[i] == left;
      std::vector<long> back(words);
      armature::get(back, block.on(right));
      well = well && back == mine;
      const double passed =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
      on = allreduce(world, world.rank() == 0 && passed < seconds ? 1 : 0) > 0;
    }
    well = well && armature::get(sum.on(0)) == rounds * world.size();
    world.barrier();
    if (world.rank() == 0) std::printf("ends after %ld rounds\n", rounds);
    std::printf("rank %d works on: %s\n", world.rank(), well ? "all well" : "something was lost");
    std::fflush(stdout);
    return well ? 0 : 1;
  });
}
