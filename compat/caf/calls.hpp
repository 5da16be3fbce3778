#pragma once

#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

// The border to Fortran. No exception crosses it: a statement with stat= gets a number, and errmsg=
// the words. One without them ends all images (Fortran 2018, 5.3.5).

namespace caf {

/// Values of stat=, which are those of gfortran's iso_fortran_env.
namespace stat {
inline constexpr int unlocked = 0;
inline constexpr int locked = 1;
inline constexpr int locked_other_image = 2;
inline constexpr int other = 1;
inline constexpr int allocation = 5014;
inline constexpr int stopped_image = 6000;
inline constexpr int failed_image = 6001;
}  // namespace stat

/// A statement cannot do what it says.
class Refusal : public std::runtime_error {
 public:
  explicit Refusal(const std::string& why, int stat = stat::other)
      : std::runtime_error(why), stat_(stat) {}
  [[nodiscard]] int stat() const { return stat_; }

 private:
  int stat_;
};
[[noreturn]] void refuse(const std::string& why, int stat = stat::other);

/// The variables that a statement has for what goes wrong; both may be null.
struct Outcome {
  int* stat = nullptr;
  char* message = nullptr;
  std::size_t message_bytes = 0;
};

/// Ends all images. The message of a call of the library begins with the rank; here the statement
/// comes first.
[[noreturn]] void end_all(const char* statement, const char* why);
/// Writes what has gone wrong, or ends all images where nobody asks for it.
void report(const char* statement, const Outcome& outcome, const std::exception& error);

/// Runs the body of a statement.
template <class Body>
[[gnu::always_inline]] inline void perform(const char* statement, const Outcome& outcome,
                                           Body&& body) noexcept {
  try {
    std::forward<Body>(body)();
    if (outcome.stat != nullptr) *outcome.stat = 0;
  } catch (const std::exception& error) {
    report(statement, outcome, error);
  }
}
/// For functions, which have no stat=.
template <class Body>
[[gnu::always_inline]] inline auto insisted(const char* statement, Body&& body) noexcept {
  try {
    return std::forward<Body>(body)();
  } catch (const std::exception& error) {
    end_all(statement, error.what());
  }
}

}  // namespace caf
