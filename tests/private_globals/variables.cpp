// Variables of every kind that C++ has, in a program of Armature's own interface. Ranks do not see
// what main has done before armature::run.
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <typeinfo>
#include <vector>

#include <armature/armature.hpp>
#include <armature/rmi.hpp>
#include <armature/virtual.hpp>

#include "job.h"

namespace {

int constructed = 0, ended = 0;
int rank = -1;  // the process's original is none

struct Counted {
  Counted() { ++constructed; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { ++ended; }
};
Counted counted;
[[gnu::destructor]] void destroy() {
  if (rank < 0) return;
  job_need(ended == 1, "destructors");
  std::printf("rank %d ended\n", rank);
}
std::map<int, std::string> table{{1, "one"}, {2, "two"}};

struct Shape {
  virtual ~Shape() = default;
  [[nodiscard]] virtual int corners() const { return 0; }
  static inline int made = 0;
};
struct Square : Shape {
  Square() { ++made; }
  [[nodiscard]] int corners() const override { return 4; }
};
struct Problem : std::runtime_error {
  explicit Problem(int of) : std::runtime_error("problem"), rank(of) {}
  int rank;
};

template <class Type>
struct Kept {
  static inline Type value{};
};

std::string& of_function() {
  static std::string text = "once";
  return text;
}

struct OfThread {
  ~OfThread() { job_need(text.size() > 1 && ended == 0, "a thread-local one at the end"); }
  std::string text{"t"};
};
thread_local OfThread of_thread;
thread_local int number_of_thread = 5;

int called = -1;
void call(int value) { called = value; }

struct Remote {
  int value = 0;
  void set(int to) {
    value = to;
    ++Kept<int>::value;
  }
};

int throw_deep(int depth, int rank) {
  const std::string text(static_cast<std::size_t>(depth) + 1, 'x');  // to be destroyed on the way
  if (depth == 0) throw Problem(rank);
  return throw_deep(depth - 1, rank) + static_cast<int>(text.size());
}

void check_exceptions(int me) {
  try {
    (void)throw_deep(9, me);
    job_need(0, "nothing was thrown");
  } catch (const Problem& problem) {
    job_need(problem.rank == me, "an exception of the program's");
  }
  try {
    (void)table.at(-1);
    job_need(0, "nothing was thrown by the library");
  } catch (const std::out_of_range&) {
  }
}

void check_calls(armature::World& world, armature::shared<Remote>& remote, int round) {
  const int me = world.rank(), all = world.size();
  armature::async((me + 1) % all, call, round);
  remote.async((me + 1) % all, &Remote::set, round + 1);
  armature::rmi_fence();
  job_need(called == round, "a function that another rank has called");
  job_need(remote->value == round + 1 && Kept<int>::value == round + 1, "a method");
  world.barrier();
}

void check_thread() {
  int there = 0;
  std::thread thread([&there] { there = number_of_thread; });
  thread.join();
  job_need(there == 5, "a thread's own");
}

void check(const std::unique_ptr<Shape>& shape, int me) {
  job_need(constructed == 1 && ended == 0, "constructors");
  job_need(table.size() == 3 && table[me + 10] == "mine", "a map");
  job_need(of_function() == "once " + std::to_string(me), "a function's static");
  job_need(of_thread.text == "t" + std::to_string(me) && number_of_thread == me, "thread-local");
  job_need(Shape::made == 1 && shape->corners() == 4, "a virtual function");
  const Shape& of_any_kind = *shape;
  job_need(dynamic_cast<const Square*>(&of_any_kind) != nullptr, "a cast by type");
  job_need(typeid(of_any_kind) == typeid(Square), "types");
  check_exceptions(me);
}

/// None of that is left when the job has gone back.
void spoil() {
  constructed = ended = called = Shape::made = -1000;
  table.clear();
  of_function() = "a text that has memory of its own, and more of it than before";
  of_thread.text = of_function();
  number_of_thread = -1000;
  Kept<int>::value = -1000;
}

int work(armature::World& world) {
  const int me = world.rank();
  rank = me;
  job_need(constructed == 1 && table.size() == 2 && number_of_thread == 5, "at first");
  table[me + 10] = "mine";
  of_function() += " " + std::to_string(me);
  of_thread.text += std::to_string(me);
  number_of_thread = me;
  const std::unique_ptr<Shape> shape = std::make_unique<Square>();
  armature::shared<Remote> remote(world);
  job_spoil_by(spoil);
  for (int round = 0; round < 6; ++round) {
    if (round == 3) job_stop(me);
    job_move(round);
    check(shape, me);
    check_calls(world, remote, round);
  }
  check_thread();
  job_count_areas(me, &rank);
  job_well(me);
  std::cout << std::flush;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  constructed = 77;  // of the process
  const int status = armature::run(argc, argv, work);
  job_need(constructed == 77, "the process's own");
  constructed = 1;
  return status;
}
