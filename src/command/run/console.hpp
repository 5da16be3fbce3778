#pragma once

#include <string>

#include "command/run/output.hpp"

namespace armature::command {

/// Writes what the launcher itself has to say to stderr, each message whole: "armature: " and the
/// text. A headline stands out where stderr is a terminal.
void say(const std::string& text);
void say_headline(const std::string& text, const std::string& below = "");

/// Has messages wait in `output` where stderr takes nothing, while it lives, so that their speaker
/// goes on. One at a time.
class SayThrough {
 public:
  explicit SayThrough(Output& output);
  SayThrough(const SayThrough&) = delete;
  SayThrough& operator=(const SayThrough&) = delete;
  ~SayThrough();
};

}  // namespace armature::command
