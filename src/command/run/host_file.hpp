#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/file_descriptor.hpp"

namespace armature::command {

/// A line "NAME" or "NAME netns=FILE" of a host file.
struct HostLine {
  std::string name;   // empty: a node that no line names
  std::string netns;  // the file of the network namespace that it is in; empty: the launcher's
  /// The namespace, held open: its file may go while the job has the node.
  std::shared_ptr<const base::FileDescriptor> network = {};

  /// Opens the namespace, if there is one. Returns why no process can be started there, as errno;
  /// 0: one can.
  [[nodiscard]] int open_network();
};

/// The lines of a file. What stands behind a '#' is passed over. Throws Error(start) that names the
/// file and the line.
std::vector<HostLine> read_host_file(const std::string& path);

/// The nodes of an elastic job by the lines of its host file (`armature run --elastic --hostfile`),
/// from the job's begin to its end, however often it goes on in other processes.
class HostFile {
 public:
  /// Throws Error(start).
  explicit HostFile(std::string path);

  /// The lines of the job's nodes, by the number of the node.
  [[nodiscard]] const std::vector<HostLine>& nodes() const { return nodes_; }
  /// Their open namespaces; -1: that of the launcher.
  [[nodiscard]] std::vector<int> networks() const;
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Reads the file again where it has changed, and is as it was at the last call: whoever writes
  /// it has done so. True where it has read it. A file that makes no sense is as if it had not
  /// changed; `problem` says why.
  bool read_again(std::string& problem);
  /// The lines whose nodes the job neither has nor was asked for. `living`: the nodes that it has.
  /// One that has died is not asked for until its line has gone and come back.
  [[nodiscard]] std::vector<HostLine> to_come(const std::vector<int>& living);
  /// The nodes whose lines are gone.
  [[nodiscard]] std::vector<int> to_leave(const std::vector<int>& living) const;

  void are_asked_for(const std::vector<HostLine>& lines);
  /// They are not taken in.
  void are_refused();
  /// Nor is this one, until its line has gone and come back.
  void leave_out(const std::string& name) { gone_.insert(name); }
  [[nodiscard]] bool awaits() const { return !coming_.empty(); }
  /// The job goes on in so many nodes, the first of which are these; then come those asked for.
  void go_on(const std::vector<int>& kept, std::size_t nodes);

 private:
  [[nodiscard]] bool is_wanted(const std::string& name) const;

  const std::string path_;
  std::uint64_t state_ = 0;  // of the file when it was read
  std::uint64_t seen_ = 0;   // at the last look
  std::vector<HostLine> wanted_, nodes_, coming_;
  std::set<std::string> gone_;  // names of nodes that have died
};

}  // namespace armature::command
