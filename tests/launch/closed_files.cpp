// A program that closes all descriptors but the standard ones, as daemons do when they begin: among
// them is the file of its memory. What it asks for next is refused in words.
#include <unistd.h>

#include <cstdio>

#include <armature/armature.hpp>

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](armature::World& world) {
    const auto before = world.allocate_local<char>(1 << 20);
    *before.address() = 1;
    world.barrier();
    for (int file = 3; file < 1024; ++file) close(file);
    for (const std::size_t bytes : {std::size_t{1} << 22, std::size_t{64} << 20}) try {
        (void)world.allocate_local<char>(bytes);
        std::printf("rank %d got %zu bytes\n", world.rank(), bytes);
      } catch (const armature::Error& error) {
        const bool is_memory = error.code() == armature::Errc::out_of_memory;
        std::printf("%s%s\n", is_memory ? "no memory: " : "", error.what());
      }
    std::fflush(stdout);
    world.barrier();
    return *before.address() == 1 ? 0 : 1;
  });
}
