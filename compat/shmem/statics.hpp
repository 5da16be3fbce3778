#pragma once

#include <cstddef>
#include <string>

#include <armature/layer/variables.hpp>

// The program's static and global variables as symmetric objects (layer/variables.hpp).

namespace shmem {

/// A rank's.
class Statics {
 public:
  /// Makes them symmetric where they can be. Collective; once, since they stay where they are.
  void open();

  [[nodiscard]] bool contains(const void* address) const;
  /// Tells this process where they lie.
  void learn_extent() const;
  /// A few words about where they are, or why they are not symmetric: for errors.
  [[nodiscard]] std::string place() const;

 private:
  bool is_open_ = false;
  armature::layer::SymmetricVariables variables_;
};

/// Returns the place at `pe` of a variable that lies there; nullptr: it is none that this process
/// knows to be symmetric.
[[nodiscard]] void* static_at_pe(const void* address, int pe);

}  // namespace shmem
