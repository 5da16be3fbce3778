#pragma once

#include <string>
#include <vector>

#include "base/file_descriptor.hpp"
#include "bootstrap/process_table.hpp"

namespace armature::bootstrap {

/// A descriptor-passing socket, over which processes of one node hand each other open files. It is
/// an abstract Unix socket, which has no file that could stay behind, under a random name. Passing
/// descriptors over a socket needs no right to trace the other process, unlike pidfd_getfd and
/// /proc/PID/fd. A client must be of the same user and show the job's secret.
class DescriptorSocket {
 public:
  /// Throws Error(start) where there are no such sockets.
  DescriptorSocket();

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

/// Returns the files that the process behind the socket of that name gives. Throws Error(start):
/// also with the reason that the process says.
std::vector<base::FileDescriptor> take_files(const std::string& name, const Secret& secret);

}  // namespace armature::bootstrap
