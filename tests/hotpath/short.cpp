// What the short put and get compile to: count.py looks at these functions' instructions.
#include <armature/get.hpp>
#include <armature/put.hpp>

extern "C" void short_put(armature::global_ptr<long> to, long value) { armature::put(to, value); }
extern "C" long short_get(armature::global_ptr<long> from) { return armature::get(from); }
