// Visits an element in a job with service threads, which must be refused.
#include <armature/armature.hpp>
#include <armature/container.hpp>

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](armature::World& world) {
    const armature::distributed_vector<long> vector(world, 10);
    vector.async_visit(3, [](long& element) { ++element; });
  });
}
