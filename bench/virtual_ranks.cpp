#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <boost/context/detail/fcontext.hpp>

#include <armature/armature.hpp>
#include <armature/virtual.hpp>

#include "bench/rows.hpp"

// Virtual ranks of one process: having the other one run, and calling it; moving to another
// process.

namespace armature::bench {

namespace {

/// Two stacks and the few instructions that go from one to the other: what any scheduler of fibers
/// stands on.
class BareSwitch {
 public:
  BareSwitch()
      : stack_(std::make_unique<std::byte[]>(stack_bytes)),
        other_(boost::context::detail::make_fcontext(stack_.get() + stack_bytes, stack_bytes,
                                                     &there)) {}
  void there_and_back() { other_ = boost::context::detail::jump_fcontext(other_, nullptr).fctx; }

 private:
  static constexpr std::size_t stack_bytes = 64 * 1024;
  [[noreturn]] static void there(boost::context::detail::transfer_t from) {
    for (;;) from = boost::context::detail::jump_fcontext(from.fctx, nullptr);
  }

  std::unique_ptr<std::byte[]> stack_;
  boost::context::detail::fcontext_t other_;
};

class Callee {
 public:
  void nothing() {}
  void add(std::uint64_t value) { sum_ += value; }
  [[nodiscard]] std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t sum_ = 0;
};

/// Rank 0 goes to the other process and back.
void migrate_rows(Stage& stage) {
  if (!can_migrate()) return;
  for (const std::size_t bytes :
       {std::size_t{1} << 10, std::size_t{1} << 20, std::size_t{1} << 30}) {
    if (!stage.has("migrate")) return;
    const std::vector<std::byte> heap(stage.acts() ? bytes : 0, std::byte{1});
    keep(heap);
    stage.together(
        {"migrate", bytes, 2},
        [&] {
          if (!stage.acts()) return;
          migrate(ProcessId(1));
          migrate(ProcessId(0));  // where its file is, to which rows are written
        },
        nullptr);
    stage.world().barrier();
  }
}

}  // namespace

void yield_row(Stage& stage) {
  if (!same_process(0, 1)) return;
  BareSwitch bare;
  stage.together(
      {"yield", 0, 2}, [] { yield(); },
      [&] {
        if (stage.acts()) bare.there_and_back();
      });
}

void virtual_call_rows(Stage& stage) {
  if (!same_process(0, 1)) return migrate_rows(stage);
  shared<Callee> callee(stage.world());
  BareSwitch bare;
  stage.together(
      {"rpc"},
      [&] {
        if (stage.acts()) callee.sync(1, &Callee::nothing);
      },
      [&] {
        if (stage.acts()) bare.there_and_back();
      });
  const std::size_t burst = stage.effort().burst;
  std::uint64_t sent = 0;
  stage.together(
      {"rpc.oneway", 8, static_cast<double>(burst)},
      [&] {
        if (stage.acts())
          for (std::size_t i = 0; i < burst; ++i) {
            sent += i;
            callee.async(1, &Callee::add, i);
          }
        rmi_fence();
      },
      nullptr);
  sent = broadcast(stage.world(), sent, 0);
  if (stage.world().rank() == 1 && callee->sum() != sent)
    abort(1, "bench: wrong result of calls of a virtual rank");
}

}  // namespace armature::bench
