#pragma once

#include "armature/run.hpp"
#include "world/process.hpp"

namespace armature::hosting {

/// The program: what its main was called with, and what each rank is to run of it.
struct Program {
  int argc;
  char** argv;
  detail::Body body;
  void* callable;
};

/// Runs the body on every rank that this process hosts at the start, each a fiber on a stack in its
/// own segment, in turn on the calling thread. Returns the first status, in the order of ranks,
/// that is not 0. An exception that leaves the body is not caught.
int run_virtual(const Process& process, const Program& program);

}  // namespace armature::hosting
