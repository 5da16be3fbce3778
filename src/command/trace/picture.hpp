#pragma once

#include <cstdio>
#include <string>

#include "command/trace/recorded.hpp"

namespace armature::command {

/// Text as HTML has it.
[[nodiscard]] std::string escaped_for_html(const std::string& text);

/// Pictures of a job, as parts of a page in HTML: what each rank computed over time, who called
/// whom how often, for whom ranks waited, how long the program's phases took.
[[nodiscard]] std::string pictures(const Recorded& recorded, TracedNames& names);

/// A page of its own. `body` is HTML. `again_s`: browsers read the file again after so many
/// seconds; 0: never.
[[nodiscard]] std::string page_of(const std::string& title, const std::string& body,
                                  double again_s = 0);

/// Writes the events into the file: as a page where `path` ends with .html, else for Perfetto.
/// Returns 0, or errno where not all could be written.
[[nodiscard]] int write_trace(std::FILE* file, const std::string& path, const Recorded& recorded,
                              TracedNames& names);

}  // namespace armature::command
