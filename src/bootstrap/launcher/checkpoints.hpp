#pragma once

#include <cstdint>

#include "bootstrap/launcher/launch.hpp"
#include "space/control.hpp"

namespace armature::bootstrap {

/// When a job of virtual ranks is to write a checkpoint: every so often, and when somebody asks for
/// one. Says when one could not be written.
class Checkpoints {
 public:
  Checkpoints(const LaunchOptions& options, space::Control control);

  /// One is wanted; as soon as all processes have joined and the one before is over.
  void ask() { is_wanted_ = true; }
  /// To be called now and then.
  void look(std::uint64_t now_ns);

 private:
  void begin(std::uint64_t now_ns);
  void report(std::uint64_t now_ns);

  const LaunchOptions& options_;
  const space::Control control_;
  bool is_wanted_ = false;
  std::uint32_t number_ = 0;  // of the one that is being written; 0: none of ours
  std::uint64_t begun_ns_ = 0;
  std::uint64_t due_ns_ = 0;  // 0: when asked for only
};

}  // namespace armature::bootstrap
