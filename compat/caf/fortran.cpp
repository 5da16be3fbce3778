#include "fortran.hpp"

#include <cstdio>

extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier): libgfortran's names
[[gnu::weak]] void _gfortran_flush_i4(int* unit);
[[gnu::weak]] void _gfortran_report_exception();
// NOLINTEND(bugprone-reserved-identifier)
}

namespace caf {

void flush_units() {
  if (_gfortran_flush_i4 != nullptr) _gfortran_flush_i4(nullptr);
  std::fflush(nullptr);
}

void report_exceptions() {
  if (_gfortran_report_exception != nullptr) _gfortran_report_exception();
}

}  // namespace caf
