#pragma once

#include <string>
#include <vector>

#include "base/file_descriptor.hpp"
#include "bootstrap/roster.hpp"

namespace armature::bootstrap {

/// Where processes of one node hand each other open files: an abstract Unix socket, which has no
/// file that could stay behind, under a random name. Passing descriptors over a socket needs no
/// right to trace the other process, unlike pidfd_getfd and /proc/PID/fd. Who comes must be of the
/// same user and show the job's secret.
class Door {
 public:
  /// Throws Error(start) where there are no such sockets.
  Door();

  [[nodiscard]] const std::string& name() const { return name_; }

  /// Gives all of `files` to each of `count` processes, as they come. Throws Error(start) when they
  /// do not come within the start time-out.
  void give(const std::vector<int>& files, int count, const Secret& secret) const;
  /// Tells those processes, in place of files, why there are none.
  void refuse(const std::string& why, int count, const Secret& secret) const;

 private:
  base::FileDescriptor socket_;
  std::string name_;
};

/// What the process behind that door gives. Throws Error(start): also with the reason that it says.
std::vector<base::FileDescriptor> take_files(const std::string& door, const Secret& secret);

}  // namespace armature::bootstrap
