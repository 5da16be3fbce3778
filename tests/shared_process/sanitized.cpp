// Compiled with the address sanitizer.
#include <armature/armature.hpp>

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](armature::World& world) { world.barrier(); });
}
