#pragma once

#include <cstddef>
#include <cstdint>

namespace armature::message {

/// A message is matched by its label. A pattern, which a receiver gives, may say `any` for source
/// and tag; a message never does. Messages of two contexts never match each other's receives.
struct Label {
  static constexpr std::int32_t any = -1;

  std::uint32_t context = 0;
  std::int32_t source = any;
  std::int32_t tag = any;

  friend bool operator==(const Label&, const Label&) = default;

  [[nodiscard]] bool matches(const Label& message) const {
    return context == message.context && (source == any || source == message.source) &&
           (tag == any || tag == message.tag);
  }

  /// Whether source and tag are `any`: the four kinds of patterns.
  static constexpr unsigned any_source = 1, any_tag = 2;
  static constexpr std::size_t kinds = 4;
  [[nodiscard]] unsigned kind() const {
    return (source == any ? any_source : 0) | (tag == any ? any_tag : 0);
  }
  /// The pattern of that kind that this message matches.
  [[nodiscard]] Label as(unsigned kind) const {
    return {context, (kind & any_source) != 0 ? any : source, (kind & any_tag) != 0 ? any : tag};
  }
};

/// Contexts below `first_of_services` are the library's.
namespace context {
inline constexpr std::uint32_t program = 0;  // armature::send and its kin, armci_msg_snd
inline constexpr std::uint32_t teams = 1;    // invitations to teams
inline constexpr std::uint32_t records = 2;  // of layers (layer/)
inline constexpr std::uint32_t collective_failures = 3;
// Contexts of services, by their numbers, and of teams that layers make some for:
inline constexpr std::uint32_t first_of_services = 16;
inline constexpr std::uint32_t first_of_teams = 1u << 16;
// Contexts of teams' collectives (collective/), by the teams' numbers:
inline constexpr std::uint32_t first_of_collectives = 1u << 31;
}  // namespace context

}  // namespace armature::message
