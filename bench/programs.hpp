#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace armature::bench {

/// One of the examples, which says how many seconds its computation took.
struct Program {
  const char* name;
  const char* words;        // on its command line
  const char* quick_words;  // the same, for less to do
  const char* before;       // what it writes before the seconds
};

/// Computations that only sometimes exchange something.
std::span<const Program> programs();

/// Finds the program: beside this command, where it was built. Empty where there is none.
std::string path_of(const Program& program);

/// Runs the command with that variable in its environment, if any, and returns its output. Throws
/// when it fails.
std::string output_of(std::vector<std::string> command, std::string variable = {});

/// The kind of ranks in a program's run.
struct Hosting {
  int virtual_each = 0;  // so many virtual ranks in each of two processes; 0: two process ranks
  bool between_nodes = false;  // of one process each; every packet takes 0.5 ms longer
};

/// Runs the program in two processes and returns its output.
std::string output_of(const Program& program, Hosting hosting, bool quick);

/// The seconds, as nanoseconds, behind the program's word in that. Throws where there are none.
double ns_behind(std::string_view output, const Program& program);

/// The seconds, as nanoseconds, that the program takes in two processes.
double program_ns(const Program& program, Hosting hosting, bool quick);

}  // namespace armature::bench
