// The program that tests of --trace look at: named phases that lie in each other and reach over a
// move, counters, and calls of methods that have names. With an argument no rank moves.
#include <cmath>
#include <cstdio>

#include <armature/armature.hpp>
#include <armature/rmi.hpp>
#include <armature/trace.hpp>
#include <armature/virtual.hpp>

namespace {

struct Account {
  long balance = 0;
  [[gnu::noinline]] void deposit(long amount) { balance += amount; }
  [[gnu::noinline]] long total() const { return balance; }
};

[[gnu::noinline]] void greet(int) {}

void phases_and_counters(armature::World& world, armature::shared<Account>& accounts, bool moves) {
  const int next = (world.rank() + 1) % world.size();
  const armature::trace_phase whole("whole \"step\"");
  for (int i = 0; i < 3; ++i) {
    const armature::trace_phase halo("halo");
    accounts.async(next, &Account::deposit, 5L);
    armature::async(next, &greet, 3);
    armature::rmi_fence();
    if (i == 1 && moves && armature::can_migrate())
      armature::migrate(armature::ProcessId((world.rank() + 1) % armature::hosting_processes()));
    armature::trace_counter("residual", 1.0 / (i + 1));
    armature::trace_counter("residual", std::nan(""));
  }
  (void)accounts.sync(next, &Account::total);
}

}  // namespace

int main(int argc, char** argv) {
  return armature::run(argc, argv, [moves = argc == 1](armature::World& world) {
    armature::shared<Account> accounts(world);
    world.barrier();
    phases_and_counters(world, accounts, moves);
    world.barrier();
    if (world.rank() == 0) std::puts("traced");
  });
}
