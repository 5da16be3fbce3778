// Libraries that have the program's variables, too. Each is this file, with another definition.
#if defined INLINED_OTHER || defined INLINED_CALLER
#define INLINED_BETWEEN_ALONE
#endif
#include "inlined.hpp"

#if defined INLINED_OTHER
int& inlined::between_of_other() { return between; }
#elif defined INLINED_CALLER
int inlined::number_of_caller() { return number_there(); }
#else
[[gnu::weak]] int inlined_weak = 13;

namespace inlined {

// It may run before or behind those of the program.
[[gnu::constructor]] static void construct() { ++number; }

int number_there() { return number; }
int& between_there() { return between; }
int of_thread_there() { return of_thread; }
int of_type_there() { return Of<long>::number; }
int in_function_there() { return in_function(); }
int weak_there() { return inlined_weak; }
const int* constant_there() { return &constant; }
Base* base_there() { return new Base; }
void make_there() { made.emplace_back("one more, which is too long for its object, too"); }

}  // namespace inlined
#endif
