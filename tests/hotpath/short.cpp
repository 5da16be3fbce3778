// The short put and get, and a short remote call: count.py looks at the instructions that these
// functions compile to.
#include <armature/get.hpp>
#include <armature/put.hpp>
#include <armature/rmi.hpp>

extern "C" void short_put(armature::global_ptr<long> to, long value) { armature::put(to, value); }
extern "C" long short_get(armature::global_ptr<long> from) { return armature::get(from); }

struct Counter {
  void add(long amount) { total += amount; }
  long total = 0;
};
extern "C" void short_async(const armature::shared_ref<Counter>& counter, int rank, long amount) {
  counter.async(rank, &Counter::add, amount);
}
