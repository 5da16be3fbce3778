#pragma once

#include <fstream>
#include <string>
#include <vector>

namespace armature::base {

/// The command line of this process, as long as the program has not written over it.
inline std::vector<std::string> words_of_process() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

}  // namespace armature::base
