// A program and a library that both match texts: what std::regex keeps in functions of its headers
// is defined by both, and each may go on with its own.
#include <regex>
#include <string>

bool matches_there(const std::string& text);

#ifdef IS_LIBRARY
bool matches_there(const std::string& text) { return std::regex_match(text, std::regex("a.b")); }
#else
#include <armature/armature.hpp>

#include "job.h"

int main(int argc, char** argv) {
  return armature::run(argc, argv, [](armature::World& world) {
    const std::regex any("c.d");
    for (int round = 0; round < 4; ++round) {
      job_need(matches_there("axb") && !matches_there("ab"), "the library matches");
      job_need(std::regex_match("cxd", any), "the program matches");
      job_move(round);
    }
    job_well(world.rank());
  });
}
#endif
