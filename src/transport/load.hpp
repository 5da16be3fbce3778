#pragma once

#include <memory>

#include "transport/transport.hpp"

namespace armature::transport {

/// Loads the engine's module and opens it. Throws Error(start) naming what is missing and the
/// remedy. The module stays until exit.
std::unique_ptr<Engine> load_engine(Sink& sink, const EngineOptions& options);
using OpenBy = decltype(&load_engine);

}  // namespace armature::transport
