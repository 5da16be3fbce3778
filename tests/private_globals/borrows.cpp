// A variable of a library that a program has in itself, unless it is compiled with -fPIC.
#include <ctime>

#include <armature/armature.hpp>

int main(int argc, char** argv) {
  tzset();
  return armature::run(argc, argv, [](armature::World&) { return timezone > 1 ? 1 : 0; });
}
