#include "collective/algorithms.hpp"

namespace armature::collective {

void disseminate(Schedule& schedule, const Members& members) {
  for (int by = 1; by < members.size; by *= 2) {
    schedule.receive(members.before(by), input, 0);
    schedule.send(members.behind(by), input, 0);
    schedule.end_stage();
  }
}

}  // namespace armature::collective
