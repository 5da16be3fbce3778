#pragma once

#include <string>

namespace armature::bootstrap {

/// What the launcher itself has to say goes to stderr, each message whole: "armature: " and the
/// text. A headline stands out where stderr is a terminal.
void say(const std::string& text);
void say_headline(const std::string& text, const std::string& below = "");

}  // namespace armature::bootstrap
