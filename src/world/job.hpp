#pragma once

#include <memory>

#include "armature/world.hpp"
#include "collective/engine.hpp"
#include "layer/work.hpp"
#include "message/messages.hpp"
#include "rmi/endpoint.hpp"
#include "team/teams_of_rank.hpp"
#include "wait/implicit.hpp"
#include "wait/rank_context.hpp"

namespace armature {

/// One rank's part in its job, from joining it to leaving it. Made, used and ended by the thread
/// that runs the rank.
class Job {
 public:
  explicit Job(space::AddressSpace& space, wait::Scheduler* scheduler = nullptr,
               transport::FaultModel* fault_model = nullptr);
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  ~Job();

  /// Collective: returns when all ranks have finished.
  void leave();
  [[nodiscard]] wait::RankContext& context() { return context_; }
  [[nodiscard]] World& world() { return *world_; }

 private:
  wait::RankContext context_;
  wait::Implicit implicit_;
  team::TeamsOfRank teams_;
  message::Messages messages_{context_};
  layers::Work layers_{context_};
  collective::Engine collectives_{context_};
  std::unique_ptr<World> world_;
  std::unique_ptr<rmi::Endpoint> endpoint_;
};

}  // namespace armature
