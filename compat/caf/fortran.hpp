#pragma once

// The run-time library of gfortran, where the program has one: a program in C that calls this
// library may not.

namespace caf {

/// Writes what the program has written to its units so far. The end of a job does not.
void flush_units();
/// Says which floating-point exceptions are signalling, as `stop` does.
void report_exceptions();

}  // namespace caf
