#include "operations.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace armci {

namespace {

struct Name {
  std::string_view spelled;
  Operation operation;
};

// A name that another one begins with comes after it.
constexpr Name names[] = {
    {"+", Operation::sum},
    {"*", Operation::product},
    {"max", Operation::maximum},
    {"min", Operation::minimum},
    {"absmax", Operation::absolute_maximum},
    {"absmin", Operation::absolute_minimum},
    {"&&", Operation::logical_and},
    {"land", Operation::logical_and},
    {"||", Operation::logical_or},
    {"lor", Operation::logical_or},
    {"&", Operation::bitwise_and},
    {"band", Operation::bitwise_and},
    {"|", Operation::bitwise_or},
    {"bor", Operation::bitwise_or},
    {"or", Operation::bitwise_or},
};

/// Memory that can be read ends where a page does, and there is no smaller page.
constexpr std::uintptr_t page = 4096;

bool begins_page(const char* at) { return reinterpret_cast<std::uintptr_t>(at) % page == 0; }

/// The kernel reads there before it finds that the first argument is no way to change a mask.
bool is_readable(const char* at) {
  return syscall(SYS_rt_sigprocmask, -1, at, nullptr, 8) == 0 || errno != EFAULT;
}

/// Byte by byte up to the first that differs. A "&" may be the last byte that can be read, and the
/// second of "&&" would lie on the next page.
bool begins_with(const char* string, std::string_view name) {
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (i > 0 && begins_page(string + i) && !is_readable(string + i)) return false;
    if (string[i] != name[i]) return false;
  }
  return true;
}

}  // namespace

std::optional<Operation> operation_of(const char* name) {
  for (const Name& known : names)
    if (begins_with(name, known.spelled)) return known.operation;
  return std::nullopt;
}

/// The bytes behind an unknown name may be another variable: no error of the program's.
[[gnu::no_sanitize_address]] std::string printable_beginning(const char* name) {
  constexpr std::size_t bytes_max = 16;
  std::string beginning;
  for (const char* at = name; beginning.size() < bytes_max; ++at) {
    if (at != name && begins_page(at)) break;
    if (*at < ' ' || *at > '~') break;
    beginning += *at;
  }
  return beginning;
}

}  // namespace armci
