#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace armature::transport::sim {

/// The network of a simulation (Turns::join before): packets travel through memory that its
/// processes share, each as late as the seed decides, so that some overtake others; some are taken
/// late from who sends them. Whoever polls lets others act.
std::unique_ptr<Engine> open_turn_engine(Sink& sink, const EngineOptions& options);

}  // namespace armature::transport::sim
