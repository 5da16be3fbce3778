// A function that throws on one rank, while the others wait in the algorithm, ends the job.
#include <cstddef>
#include <stdexcept>
#include <string>

#include "armature/algorithm.hpp"
#include "armature/armature.hpp"
#include "armature/container.hpp"

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](armature::World& world) {
    armature::distributed_vector<std::size_t> vector(world, 100);
    armature::distributed_map<std::string, int> map(world);
    armature::generate(vector, [](std::size_t i) { return i; });
    armature::for_each(vector, [](std::size_t& x) {
      if (x == 70) throw std::runtime_error("element 70 is not as it should be");
    });
  });
}
