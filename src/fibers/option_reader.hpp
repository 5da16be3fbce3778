#pragma once

#include <getopt.h>

#include <span>

namespace armature::fibers {

/// The variables by which getopt tells a program what it has found (POSIX.1-2017, getopt).
struct OptionVariables {
  char* argument = nullptr;  // optarg
  int index = 1;             // optind
  int prints = 1;            // opterr
  int option = '?';          // optopt
};

/// How far the reading of options has come. Where operands stand before options, `first` and `last`
/// are the first operand and the first behind them that is none.
struct OptionState {
  enum class Order { permute, require, as_they_come };
  bool has_begun = false;
  Order order = Order::permute;
  const char* rest = nullptr;  // of letters that follow one dash
  int first = 1, last = 1;
};

/// The arguments of a call.
struct OptionCall {
  enum class Names { letters, words, words_by_one_dash };
  std::span<char* const> arguments;
  const char* letters;
  const option* words = nullptr;  // ends with a name of nullptr
  int* word = nullptr;            // told which of them it is
  Names names = Names::letters;
  bool is_posix = false;  // the first operand ends the options
};

/// Reads the next option, as getopt, getopt_long and getopt_long_only of the GNU C library do,
/// whose states are its process's: those of this one are the caller's.
int read_option(OptionState& state, OptionVariables& variables, const OptionCall& call);

}  // namespace armature::fibers
