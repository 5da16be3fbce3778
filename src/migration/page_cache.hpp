#pragma once

#include <cstdint>
#include <map>

#include "fibers/quiesce_body.hpp"
#include "migration/segment_file.hpp"
#include "space/mapping.hpp"

namespace armature::migration {

/// Pages that ranks had here, in the file of segments, before they went from this process to
/// another node. Who comes back finds them there for about a second. Then they are given back, a
/// little at a time while ranks run: else all would wait for it where ranks change nodes. By the
/// thread that runs ranks; what is noted and looked up while they change nodes, under the links'
/// lock.
class PageCache {
 public:
  /// `file` is that of the segments.
  PageCache(const space::Mapping& mapping, int file) : mapping_(mapping), file_(file) {}

  /// Ranks are about to leave, or to come back.
  void begin();
  /// All has been given back, or is somebody's.
  void forget();
  /// Tells whether these pages may stay: there is plenty of memory.
  [[nodiscard]] bool takes(const Stretch& pages);
  /// Whether these have stayed, and are in this process's page tables.
  [[nodiscard]] bool has(const Stretch& pages) const;

  /// Gives some pages back where it is time for that; false: none. Not while ranks change nodes.
  using Pace = fibers::QuiesceBody::Pace;
  bool give_back(std::uint64_t now_ns, Pace pace) {
    return !pages_.empty() && now_ns > given_ns_ && give_back_since(now_ns, pace);
  }

 private:
  bool give_back_since(std::uint64_t now_ns, Pace pace);
  [[nodiscard]] bool is_back(std::uint64_t at) const;
  [[nodiscard]] std::uint64_t look_for_room() const;

  const space::Mapping& mapping_;
  const int file_;
  std::uint64_t room_ = 0;                        // for what else may stay
  std::uint64_t bytes_ = 0;                       // that have stayed
  bool has_looked_ = false;                       // how much there is
  std::map<std::uint64_t, std::uint64_t> pages_;  // where a stretch begins, and ends
  std::uint64_t given_ns_ = 0;                    // when that was done last, or is to begin
};

}  // namespace armature::migration
