#pragma once

#include <string>

#include "command/explain/explain.hpp"
#include "command/inspect/jobs.hpp"

namespace armature::command {

/// Writes the events of a running job that are kept: as a page where `path` ends with .html, else
/// for Perfetto. Throws Error(start) where there are none, or the file cannot be written.
void write_trace_of(const ObservedJob& job, const std::string& path);

/// A page of a job: what its ranks do, as `armature inspect` says it in `text`, and pictures of the
/// events that are kept.
struct Page {
  Page() = default;
  Page(const ObservedJob& job, const std::string& text);

  int pid = 0;  // of the job's launcher
  std::string body;
};

/// Writes a page. `again_s`: browsers read it again after so many seconds; 0: never. Throws
/// Error(start) where it cannot be written.
void write_page(const Page& page, const std::string& path, double again_s);

}  // namespace armature::command
