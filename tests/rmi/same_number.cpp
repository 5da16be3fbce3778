// A program that has the number of one of its libraries, by which code is named in messages: both
// are linked with build ids that give the same. The program's code is meant.
#include <armature/armature.hpp>
#include <armature/rmi.hpp>

int twice(int number);  // of that library

namespace {

struct Adder {
  int add(int a, int b) { return a + b; }
};

void require(bool holds, const char* what) {
  if (!holds) armature::abort(3, what);
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](armature::World& world) {
    armature::shared<Adder> adder(world);
    world.barrier();
    const int other = (world.rank() + 1) % world.size();
    require(adder.sync(other, &Adder::add, twice(20), 2) == 42, "a method");
  });
}
