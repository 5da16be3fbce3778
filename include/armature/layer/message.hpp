#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "armature/detail/export.hpp"
#include "armature/handle.hpp"
#include "armature/message.hpp"
#include "armature/rank.hpp"

namespace armature::layer {

/// Messages of one context never match receives and probes of another (MPI 4.1, 7.1): those of a
/// layer never match the program's, nor those of one team another's. A number, equal at all ranks
/// that use the context: context_of() and make_context() in layer/service.hpp give them.
class Context {
 public:
  explicit constexpr Context(std::uint32_t number) : number_(number) {}
  [[nodiscard]] constexpr std::uint32_t number() const { return number_; }
  friend constexpr bool operator==(Context, Context) = default;

 private:
  std::uint32_t number_;
};

// These calls are like those of the same names in <armature/message.hpp>, which use the program's
// own context. They have the same errors, and the same threads may call them. armature::cancel ends
// a receive of any context.
ARMATURE_API void send(Context context, Rank to, int tag, std::span<const std::byte> data);
ARMATURE_API Received receive(Context context, Rank from, TagPattern tag,
                              std::span<std::byte> into);
ARMATURE_API Handle send_async(Context context, Rank to, int tag, std::span<const std::byte> data);
ARMATURE_API Handle receive_async(Context context, Rank from, TagPattern tag,
                                  std::span<std::byte> into, Received* got = nullptr);
ARMATURE_API Received probe(Context context, Rank from, TagPattern tag);
[[nodiscard]] ARMATURE_API std::optional<Received> try_probe(Context context, Rank from,
                                                             TagPattern tag);
[[nodiscard]] ARMATURE_API std::optional<MatchedMessage> try_match(Context context, Rank from,
                                                                   TagPattern tag);

}  // namespace armature::layer
