#pragma once

#include <cstdint>

#include "command/run/launch_options.hpp"
#include "space/control.hpp"

namespace armature::command {

/// Decides when a job of virtual ranks on one node is to write a checkpoint: every so often, and
/// when somebody asks for one; to disk, or in memory. Says when one could not be written.
class Checkpoints {
 public:
  Checkpoints(const LaunchOptions& options, space::Control control);

  /// Asks for one: it is made as soon as all processes have joined and the one before is over.
  void ask() { is_wanted_ = true; }
  /// To be called now and then.
  void look(std::uint64_t now_ns);
  /// When it wants to be called again at the latest; 0: now and then will do.
  [[nodiscard]] std::uint64_t next_ns() const;

 private:
  void begin(space::KeptIn where, std::uint64_t now_ns);
  [[nodiscard]] bool is_due(std::uint64_t now_ns) const;
  [[nodiscard]] bool take(std::uint64_t now_ns);
  void report(std::uint64_t now_ns);
  [[nodiscard]] std::uint64_t after(double seconds, std::uint64_t now_ns) const;

  const LaunchOptions& options_;
  const space::Control control_;
  const std::uint64_t every_ns_;  // 0: when asked for only
  bool is_wanted_ = false;
  std::uint32_t number_ = 0;  // of the one that is being written; 0: none of ours
  std::uint64_t begun_ns_ = 0;
  space::KeptIn where_ = space::KeptIn::folder;
  std::uint64_t copy_due_ns_ = 0;  // in memory
};

}  // namespace armature::command
