#include "harness/two_nodes.hpp"

#include "harness/peer_engine.hpp"
#include "wait/wait.hpp"

namespace armature::harness {
namespace {

/// The control block is as long as that needs, and is unmapped by what its header says.
constexpr std::uint32_t nodes_when_mapped = 1;

}  // namespace

TwoNodes::TwoNodes(net::NetworkOptions options, int greets_after) {
  peer.greets_after = greets_after;
  // Mapped like ranks of this node, so that the test can look at their memory.
  job_.header().nodes = 2;
  for (const int far : {1, 2}) {
    job_.slot(far).node = 1;
    job_.slot(far).process = Peer::process;
    job_.mapping().control().home(far) = {Peer::process, 1};
    job_.slot(far).life = space::Life::running;
  }
  job_.slot(0).process = 0;
  job_.slot(0).life = space::Life::running;
  wait::start_waiting(job_.header());
  space_ = job_.address_space(Rank(0));
  options.open = [](transport::Sink& sink, const transport::EngineOptions&) {
    return std::unique_ptr<transport::Engine>(new PeerEngine(sink));
  };
  try {
    net::Network::join(mapping(), {space_.get()}, exchange_, options);
  } catch (...) {
    job_.header().nodes = nodes_when_mapped;
    throw;
  }
  context_ = std::make_unique<wait::RankContext>(*space_);
  wait::implicit_slot.put(context_->slots, &implicit_);
  before_ = wait::set_sole_rank(nullptr);
  wait::set_this_rank(context_.get());
}

TwoNodes::~TwoNodes() {
  net::Network::leave();
  wait::set_this_rank(nullptr);
  context_.reset();
  wait::set_sole_rank(before_);
  wait::set_this_rank(before_);
  job_.header().nodes = nodes_when_mapped;
}

}  // namespace armature::harness
