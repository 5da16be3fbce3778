#include "signals.hpp"

#include <string>

#include <armature/layer/races.hpp>
#include <armature/layer/wait.hpp>
#include <armature/signal.hpp>

#include "calls.hpp"
#include "place.hpp"
#include "waiting.hpp"

namespace shmem {
namespace {

armature::SignalOperation operation_of(int operation) {
  if (operation == SHMEM_SIGNAL_SET) return armature::SignalOperation::set;
  if (operation == SHMEM_SIGNAL_ADD) return armature::SignalOperation::add;
  refuse("sig_op " + std::to_string(operation) +
         " is neither SHMEM_SIGNAL_SET nor SHMEM_SIGNAL_ADD");
}

}  // namespace

void put_signal(shmem_ctx_t ctx, void* dest, const void* source, std::size_t bytes,
                std::uint64_t* word, std::uint64_t value, int operation, int pe) {
  if (bytes == 0) return send_signal(ctx, word, value, operation, pe);
  const armature::global_ptr<void> to = at_pe(ctx, dest, pe);
  armature::put_signal(
      armature::global_ptr<std::byte>(to.rank(), static_cast<std::byte*>(to.address())),
      static_cast<const std::byte*>(source), bytes,
      {.word = at_pe(ctx, word, pe), .value = value, .operation = operation_of(operation)});
}

void send_signal(shmem_ctx_t ctx, std::uint64_t* word, std::uint64_t value, int operation, int pe) {
  const armature::global_ptr<std::uint64_t> at = at_pe(ctx, word, pe);
  if (operation_of(operation) == armature::SignalOperation::set)
    armature::signal_set(at, value);
  else
    armature::signal_add(at, value);
}

std::uint64_t signal_fetch(const std::uint64_t* word) {
  const std::uint64_t found = armature::signal_fetch(word);
  if (looks_for_races) armature::layer::has_seen(word, sizeof *word);
  let_others_run(word, found);
  return found;
}

std::uint64_t signal_wait_until(const std::uint64_t* word, int comparison, std::uint64_t value) {
  return armature::signal_wait_until(word, comparison_of(comparison), value);
}

}  // namespace shmem

extern "C" void shmem_wake_pe(int pe) {
  shmem::insisted("shmem_put_signal", [&] { armature::layer::wake(armature::Rank(pe)); });
}
