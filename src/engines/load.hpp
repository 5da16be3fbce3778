#pragma once

#include <memory>
#include <string>

#include "engines/engine.hpp"

namespace armature::transport {

/// Returns the engine that ARMATURE_NET_ENGINE names, "" for none. Throws Error(start) when there
/// is no such engine.
std::string engine_wanted();

/// Loads the engine's module and opens it. Throws Error(start) naming what is missing and the
/// remedy. The module stays until exit.
std::unique_ptr<Engine> load_engine(Sink& sink, const EngineOptions& options);
using OpenBy = decltype(&load_engine);

}  // namespace armature::transport
