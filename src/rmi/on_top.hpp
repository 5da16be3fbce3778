#pragma once

#include <cstdint>
#include <optional>

#include "armature/detail/request.hpp"
#include "armature/holder.hpp"
#include "rmi/called_at.hpp"
#include "rmi/endpoint_context.hpp"
#include "rmi/objects.hpp"
#include "wait/elsewhere.hpp"

namespace armature::rmi {

/// Methods that run on top of the one that waits, if there is one: when they are done all is as it
/// was for that one, however they end.
class OnTop {
 public:
  OnTop(EndpointContext& context, Objects& objects)
      : depth(context.sender.depth),
        context_(context),
        waits_(objects),
        elsewhere_(&context.rank),
        nothing_held_(context.sender, nullptr) {
    ++context_.sender.level;
    if (context_.called_at) [[unlikely]]
      called_at_.emplace(*context_.called_at);
  }
  OnTop(const OnTop&) = delete;
  OnTop& operator=(const OnTop&) = delete;
  ~OnTop() {
    --context_.sender.level;
    context_.sender.depth = depth;
    if (called_at_) [[unlikely]]
      *context_.called_at = *called_at_;
  }

  const std::uint8_t depth;  // of the one that waits

 private:
  EndpointContext& context_;
  std::optional<CalledAt> called_at_;  // the call of the one that waits
  const Objects::Waits waits_;
  const wait::Elsewhere elsewhere_;
  const detail::Holding nothing_held_;
};

}  // namespace armature::rmi
