// Inline variables, statics of templates and of inline functions, and weak variables are one each,
// though libraries define them, too. A rank has each once, where the libraries are copied with it.
#include "inlined.hpp"

#include <memory>

#include <armature/armature.hpp>

#include "job.h"

[[gnu::weak]] int inlined_weak = 13;

namespace {

void look(int value, int round) {
  using namespace inlined;
  job_need(number_there() == value && number_of_caller() == value, "an inline variable");
  job_need(weak_there() == value, "a weak one");
  job_need(of_thread_there() == value, "a thread-local one");
  job_need(of_type_there() == value, "a template's");
  job_need(between_there() == value && between_of_other() == value, "one of libraries");
  job_need(in_function() == 6 + 2 * round, "a function's");
  job_need(in_function_there() == 7 + 2 * round, "a function's in the library");
  make_there();
  job_need(made.size() == 3 + static_cast<std::size_t>(round), "an object");
  job_need(*constant_there() == constant, "a constant");
  const std::unique_ptr<Base> object(base_there());
  job_need(object->get() == value && dynamic_cast<Base*>(object.get()) != nullptr, "a class");
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](armature::World& world) {
    const int me = world.rank(), value = 100 * me;
    job_need(inlined::number == 4, "what a constructor has added to");
    job_need(inlined::made.size() == 2 && inlined::made[0].starts_with("a text"), "what was made");
    inlined::number = inlined_weak = inlined::of_thread = inlined::Of<long>::number = value;
    inlined::between_there() = value;
    for (int round = 0; round < 4; ++round) {
      world.barrier();
      look(value, round);
      job_move(round);
    }
    job_well(me);
  });
}
