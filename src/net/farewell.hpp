#pragma once

#include <cstdint>
#include <functional>

#include "net/node_tree.hpp"
#include "net/peers.hpp"
#include "transport/links.hpp"

namespace armature::net {

/// How the processes of a job part when it ends: nothing is unread when a process has everybody's
/// good-bye, so that its end cuts nobody short.
///
/// Good-byes go to partners alone. Where connections are made at first use, a process may not know
/// yet that it is somebody's partner. So before that all agree that nobody begins anything more:
/// each waits until what it has sent has been handled, for then its partners know it. Then the
/// first process of a node tells for all of the node, up and down a tree (node_tree.hpp).
class Farewell {
 public:
  /// `poll` polls the network.
  Farewell(transport::Links& links, Peers& peers, std::function<void()> poll);
  Farewell(const Farewell&) = delete;
  Farewell& operator=(const Farewell&) = delete;
  ~Farewell() = default;

  /// Collective. The ranks of this process begin nothing more.
  void agree(const NodeTree& tree);
  void say();

 private:
  template <class Condition>
  void wait_until(Condition is_over);
  void await_handled();
  void tell_over(int process);
  [[nodiscard]] bool have_told_over(const std::vector<int>& processes) const;

  transport::Links& links_;
  Peers& peers_;
  std::function<void()> poll_;
  std::uint64_t until_ns_;  // nobody is waited for any longer
};

}  // namespace armature::net
