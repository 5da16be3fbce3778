#pragma once

#include <string>
#include <vector>

// A rank of a measuring job runs `armature bench-rank`, which only `armature bench` starts.

namespace armature::bench {

struct RankOptions {
  std::string
      task;  // rma, rmi: the rows; rss: memory; start: nothing, in a job; nothing: not even that
  std::string to;      // where rank 0 writes the rows, one JSON object a line
  std::string folder;  // where it may write
  std::vector<std::string> only;
  bool quick = false;
};

/// Returns the exit status.
int rank_main(const RankOptions& options);

}  // namespace armature::bench
