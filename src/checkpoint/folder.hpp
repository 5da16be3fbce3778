#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/runtime.hpp"
#include "checkpoint/manifest.hpp"
#include "space/quiesce_state.hpp"

// Checkpoints lie in a directory DIR: DIR/latest is a line that names the folder in DIR with the
// last one that is complete. A new one is written into a folder of its own; that it is the last one
// is decided by one rename. So whatever crashes when, `latest` names a checkpoint that is whole.
//
// It may need the one before, since it holds only what changed, and so on: a chain. The links of
// the last one stay until one that needs none is complete.

namespace armature::checkpoints {

/// Called in tests before each step that changes something on disk, with its name. Owned by the
/// runtime.
struct StepHook {
  void (*before)(const char* name) = nullptr;
};

/// Makes a folder for the next checkpoint in `directory`, which is made if need be. Returns its
/// path. Throws Error(corrupt), and Error(bad_argument) for a name that is too long.
std::string make_folder(const std::string& directory);
/// Keeps other jobs out of the folder's directory (directory_lock.hpp), and removes what earlier
/// writers have left unfinished. Called by the process that will complete it, before anything is
/// written there. Throws Error(corrupt).
void lock_folder(const std::string& folder, std::uint64_t job = 0);
/// Makes a number by which the next checkpoint is known: folders of several jobs may be called the
/// same.
[[nodiscard]] std::uint64_t new_id();
/// The folder of the checkpoint for which all quiesce.
std::string own_folder(const space::QuiesceState& quiesce);
/// The folder's number in its directory.
std::uint64_t number_of_folder(const std::string& folder);
/// The parts in that folder are written: from now on it is the last checkpoint, on disk. All that
/// were made before are removed, unless it needs the one before. Throws Error(corrupt).
void complete(const std::string& folder, const Manifest& manifest);
/// Removes a folder that will not be completed; unless `latest` names it, which may be so where it
/// could not be completed.
void abandon(const std::string& folder) noexcept;

/// A checkpoint's folder, and what it says of itself.
struct Link {
  std::string folder;
  Manifest manifest;
};
/// The last one, and those that it needs: the first is whole, each other one has the pages that
/// changed since the one in front of it.
struct Found : Link {
  std::vector<Link> before;
};
/// Reads the name of the last one's folder; empty where there is none. Throws Error(corrupt) where
/// it cannot be read.
std::string latest_name(const std::string& directory);
/// Throws Error(corrupt) that says what is wrong.
Found find_latest(const std::string& directory);
/// Finds the latest one in a directory; or that one, where the path is a checkpoint's folder in
/// one.
Found find(const std::string& path);
/// Throws Error(start) where it cannot go on as so many nodes.
void require_for_nodes(const Found& found, int nodes);

}  // namespace armature::checkpoints
