#include <cstddef>
#include <cstdint>

#include <armature/armature.hpp>

#include "bench/rows.hpp"

// Calls of a method without leaving the rank: through a pointer to member, a virtual table, and a
// remote call to oneself; against the direct call (armi-rmi-2003, table 1).

namespace armature::bench {

namespace {

class Callee {
 public:
  virtual ~Callee() = default;
  [[gnu::noinline]] void direct(std::uint64_t value) { sum_ += value; }
  virtual void overridden(std::uint64_t value) = 0;
  [[nodiscard]] std::uint64_t sum() const { return sum_; }

 protected:
  std::uint64_t sum_ = 0;
};

class Derived final : public Callee {
 public:
  [[gnu::noinline]] void overridden(std::uint64_t value) override { sum_ += value; }
};

}  // namespace

void invocation_rows(Stage& stage) {
  constexpr std::size_t n = 1000;
  shared<Derived> callee(stage.world());
  Callee* const object = callee.operator->();
  const auto directly = [=] {
    Callee* const it = hidden(object);
    for (std::size_t i = 0; i < n; ++i) it->direct(hidden(i));
  };
  stage.one_sided(
      {"call.member", 8, n}, Target::waiting,
      [=] {
        Callee* const it = hidden(object);
        void (Callee::*method)(std::uint64_t) = &Callee::direct;
        asm volatile("" : "+m"(method));
        for (std::size_t i = 0; i < n; ++i) (it->*method)(hidden(i));
      },
      directly);
  stage.one_sided(
      {"call.virtual", 8, n}, Target::waiting,
      [=] {
        Callee* const it = hidden(object);
        for (std::size_t i = 0; i < n; ++i) it->overridden(hidden(i));
      },
      directly);

  const int me = stage.world().rank();
  const std::uint64_t before = object->sum();
  std::uint64_t rounds = 0;
  stage.one_sided(
      {"rpc.self", 8, n}, Target::waiting,
      [&] {
        for (std::size_t i = 0; i < n; ++i) callee.async(me, &Derived::overridden, i);
        rmi_poll();
        ++rounds;
      },
      [&] {
        directly();
        ++rounds;
      });
  if (object->sum() - before != rounds * (n * (n - 1) / 2))
    abort(1, "bench: wrong result of calls to oneself");
}

}  // namespace armature::bench
