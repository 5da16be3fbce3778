// Variables of classes and templates, and those that a constructor has set.
#include <cstdlib>

#include "statics.h"

namespace {

struct Pair {
  Pair(long a, long b) : first(a), second(b), self(this) {}

  static long of_class;
  long first, second;
  Pair* self;
};
long Pair::of_class = 5;

template <class T>
struct Of {
  inline static T value{};
};

Pair constructed(std::atol("21"), 22);

Pair& of_function() {
  static Pair pair(31, 32);
  return pair;
}

}  // namespace

extern "C" void test_statics_of_cpp(void) {
  const int me = shmem_my_pe(), pes = shmem_n_pes();
  const int next = (me + 1) % pes, previous = (me + pes - 1) % pes;
  CHECK(constructed.first == 21 && constructed.self == &constructed && Pair::of_class == 5);
  CHECK(of_function().second == 32 && of_function().self == &of_function());
  shmem_barrier_all();
  shmem_p(&constructed.second, 50L + me, next);
  shmem_p(&of_function().first, 60L + me, next);
  shmem_p(&Pair::of_class, 70L + me, next);
  shmem_p(&Of<double>::value, 80.0 + me, next);
  shmem_atomic_add(&Of<int>::value, 1 + me, next);
  shmem_barrier_all();
  CHECK(constructed.second == 50 + previous && of_function().first == 60 + previous);
  CHECK(Pair::of_class == 70 + previous && Of<double>::value == 80.0 + previous);
  CHECK(Of<int>::value == 1 + previous);
  shmem_barrier_all();
}
