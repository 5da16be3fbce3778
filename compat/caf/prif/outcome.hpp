#pragma once

#include <exception>
#include <utility>

#include "../calls.hpp"
#include "arrays.hpp"

// The border to callers of the interface: stat=, and errmsg= of a fixed or an own length.

namespace caf::prif {

/// Values of stat= (PRIF_STAT_...), which are those of LLVM Flang's iso_fortran_env.
namespace status {
inline constexpr int failed_image = 101;
inline constexpr int locked = 102;
inline constexpr int locked_other_image = 103;
inline constexpr int stopped_image = 104;
inline constexpr int unlocked = 105;
inline constexpr int out_of_memory = 301;
inline constexpr int already_init = 302;
}  // namespace status

struct Outcome {
  int* stat;
  const Array* message;
  Array* own_message;
};

/// The statement decides what a Refusal means: a lock's values are those of other mistakes
/// elsewhere.
enum class Statement { other, lock, unlock };

/// Writes what has gone wrong, or ends all images where nobody asks for it.
void report(const char* name, const Outcome& outcome, Statement statement,
            const std::exception& error);

/// Runs the body of a procedure.
template <class Body>
void perform(const char* name, const Outcome& outcome, Body&& body,
             Statement statement = Statement::other) noexcept {
  try {
    std::forward<Body>(body)();
    if (outcome.stat != nullptr) *outcome.stat = 0;
  } catch (const std::exception& error) {
    report(name, outcome, statement, error);
  }
}

}  // namespace caf::prif
