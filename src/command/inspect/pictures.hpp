#pragma once

#include <string>

#include "command/explain/explain.hpp"
#include "command/inspect/jobs.hpp"

namespace armature::command {

/// Writes the events of a running job that are kept: as a page where `path` ends with .html, else
/// for Perfetto. Throws Error(start) where there are none, or the file cannot be written.
void write_trace_of(const ObservedJob& job, const std::string& path);

/// Writes a page with what the ranks do, as `armature inspect` says it in `text`, and with pictures
/// of the events that are kept. `again_s`: browsers read it again after so many seconds; 0: never.
/// Throws Error(start) where it cannot be written.
void write_page_of(const ObservedJob& job, const std::string& text, const std::string& path,
                   double again_s);

}  // namespace armature::command
