#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file_descriptor.hpp"
#include "bootstrap/secret.hpp"

namespace armature::bootstrap {

/// A descriptor-passing socket, over which processes of one node hand each other open files. It is
/// an abstract Unix socket, which has no file that could stay behind. Passing descriptors over a
/// socket needs no right to trace the other process, unlike pidfd_getfd and /proc/PID/fd. Both
/// sides must be of the same user, and a client must show the job's secret.
class DescriptorSocket {
 public:
  /// Opens one under a random name. Throws Error(start) where there are no such sockets.
  DescriptorSocket();
  /// Opens one under this name; nothing where another socket has it. Throws Error(start).
  static std::optional<DescriptorSocket> open_if_free(const std::string& name);

  [[nodiscard]] const std::string& name() const { return name_; }

  /// Gives all of `files` to each of `count` processes, as they come. Throws Error(start) when they
  /// do not come within the start time-out.
  void give(const std::vector<int>& files, int count, const Secret& secret) const;
  /// Tells those processes, in place of files, why there are none.
  void refuse(const std::string& why, int count, const Secret& secret) const;

 private:
  DescriptorSocket(base::FileDescriptor socket, std::string name)
      : socket_(std::move(socket)), name_(std::move(name)) {}

  base::FileDescriptor socket_;
  std::string name_;
};

/// Returns the files that the process behind the socket of that name gives. Throws Error(start):
/// also with the reason that the process says.
std::vector<base::FileDescriptor> take_files(const std::string& name, const Secret& secret);
/// Returns the same, or nothing where no process listens under that name.
std::optional<std::vector<base::FileDescriptor>> take_files_if_there(const std::string& name,
                                                                     const Secret& secret);

}  // namespace armature::bootstrap
