#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "armature/armature.hpp"

// Calls before a process has joined its job, and after it has left: an Error, never a crash. The
// tests run in the order of this file, once alone and once on two ranks.

namespace {

using armature::Errc;
using armature::Error;
using armature::global_ptr;

struct Call {
  const char* name;  // as the message must spell it
  std::function<void()> make;
};

double number = 1;

std::vector<Call> calls() {
  static const std::size_t counts[] = {8};
  static const armature::Strided shape{.counts = counts, .to_strides = {}, .from_strides = {}};
  static std::byte buffer[8];
  const global_ptr<double> there(0, &number);
  const global_ptr<long> word(0, reinterpret_cast<long*>(&number));
  return {
      {"world", [] { (void)armature::world(); }},
      {"finalize", [] { armature::finalize(); }},
      {"put", [=] { armature::put(there, 2.0); }},
      {"put", [=] { armature::put(there, &number, 1); }},
      {"get", [=] { (void)armature::get(there); }},
      {"get", [=] { armature::get(&number, there, 1); }},
      {"put_strided", [=] { armature::put_strided(there, &number, shape); }},
      {"get_strided", [=] { armature::get_strided(&number, there, shape); }},
      {"put_vector", [] { armature::put_vector(0, {}); }},
      {"get_vector", [] { armature::get_vector(0, {}); }},
      {"accumulate", [=] { armature::accumulate(there, 2.0); }},
      {"accumulate_strided", [=] { armature::accumulate_strided(there, &number, shape); }},
      {"fetch_add", [=] { armature::fetch_add(word, 1); }},
      {"compare_swap", [=] { armature::compare_swap(word, 1, 2); }},
      {"Aggregate", [] { armature::Aggregate aggregate(0); }},
      {"wait_all", [] { armature::wait_all(0); }},
      {"fence", [] { armature::fence(0); }},
      {"fence_all", [] { armature::fence_all(); }},
      {"notify", [] { armature::notify(0); }},
      {"wait_notify", [] { armature::wait_notify(0); }},
      {"send", [] { armature::send(0, 1, buffer); }},
      {"receive", [] { (void)armature::receive(0, 1, buffer); }},
      {"node_of", [] { (void)armature::node_of(0); }},
      {"same_process", [] { (void)armature::same_process(0, 0); }},
      {"domain_count", [] { (void)armature::domain_count(armature::Domain::process); }},
      {"Team::create", [] { (void)armature::Team::create(std::vector<armature::Rank>{0}); }},
      {"direct", [=] { (void)there.direct(); }},
  };
}

void expect_misuse() {
  number = 1;
  for (const Call& call : calls()) {
    SCOPED_TRACE(call.name);
    try {
      call.make();
      ADD_FAILURE() << "no Error was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(static_cast<int>(error.code()), static_cast<int>(Errc::misuse)) << error.what();
      EXPECT_NE(std::string(error.what()).find(call.name), std::string::npos) << error.what();
    }
  }
  EXPECT_EQ(number, 1);
}

}  // namespace

TEST(Lifecycle, before_joining_every_call_is_misuse) {
  EXPECT_FALSE(armature::initialized());
  expect_misuse();
}

TEST(Lifecycle, joining_twice_is_joining_once) {
  armature::World& world = armature::init();
  EXPECT_TRUE(armature::initialized());
  EXPECT_EQ(&armature::init(), &world);
  EXPECT_EQ(&armature::world(), &world);
  EXPECT_LT(world.rank(), world.size());
}

TEST(Lifecycle, in_between_everything_works) {
  armature::World& world = armature::world();
  auto piece = world.allocate<int>(1);
  armature::put(piece.on((world.rank() + 1) % world.size()), 7);
  world.barrier();
  EXPECT_EQ(piece[0], 7);
  EXPECT_EQ(allreduce(world, 1), world.size());
  world.free(piece);
}

TEST(Lifecycle, after_leaving_every_call_is_misuse_and_there_is_no_way_back) {
  armature::finalize();
  EXPECT_FALSE(armature::initialized());
  expect_misuse();
  EXPECT_THROW((void)armature::init(), Error);
  EXPECT_FALSE(armature::initialized());
}
