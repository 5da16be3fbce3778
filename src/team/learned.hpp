#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "team/signature.hpp"
#include "team/user_call.hpp"

// A word that says what a team has learned about its long reductions (adaptive.hpp), in its block
// for who looks from outside. This stands on no team, so the command reads it, too.

namespace armature::team {

/// The setting of the job: a way's name, or "adaptive".
inline constexpr const char* collectives_variable = "ARMATURE_COLLECTIVES";

/// The ways of a long reduction. Where one is impossible for a call, another is taken, by all.
enum class Way : std::uint8_t {
  usual,     // as bytes, members and nodes choose it
  rounds,    // members show pieces to each other
  halving,   // by messages: halving and doubling; of reduce and scan their one schedule
  doubling,  // by messages: recursive doubling; of allreduce alone
};
[[nodiscard]] const char* name_of(Way way);
[[nodiscard]] std::optional<Way> way_named(std::string_view name);

/// A way that was learned, in one word, for who looks at the team's block from outside
/// (space::TeamBlock::learned).
struct Learned {
  RoundKind kind = RoundKind::barrier;
  UserCall part_of = UserCall::none;
  unsigned length_class = 0;  // of lengths below 2^length_class bytes
  Way way = Way::usual;
  bool tries = false;
  unsigned changes = 0;  // how often ways were tried anew
  std::uint64_t ns = 0, skew_ns = 0;

  [[nodiscard]] std::uint64_t bytes_below() const {
    return length_class < 64 ? std::uint64_t{1} << length_class : UINT64_MAX;
  }
  [[nodiscard]] std::uint64_t word() const;
  /// Reads any word.
  [[nodiscard]] static Learned of(std::uint64_t word);
  /// "allreduce", or "allreduce in sort" where the program has called sort.
  [[nodiscard]] std::string call() const;
  /// The call and its way: "allreduce below 65536 bytes by halving: 83 us, skew 12 us".
  [[nodiscard]] std::string text() const;
};

}  // namespace armature::team
