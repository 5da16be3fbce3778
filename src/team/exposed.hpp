#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "message/faster_way.hpp"
#include "team/team_state.hpp"

namespace armature::team {

/// Blocks that this member has for others, of the agreed bytes each, one behind the other. If there
/// are several, block i is for member i.
struct Source {
  const std::byte* data = nullptr;
  std::size_t blocks = 0;
  bool is_overwritten = false;  // they lie where this member receives
  bool by_rounds = false;       // no order of reading is right for them: all go by rounds
};

/// The direction of the data: which members have data for others, and which read them.
enum class Flow { from_root, to_root, among_all };

/// The place of a member's blocks while others read them. A window has room for a piece of each
/// block and, half a window further, for the next one.
struct Place {
  std::uint64_t address = 0;     // 0: there is no memory for a window
  std::uint64_t piece = 0;       // bytes of each block that a step exposes
  std::uint64_t half = 0;        // of a window; 0: the blocks lie there whole
  std::int32_t owner = -1;       // the rank in whose segment it lies; -1: the one process of all
  std::int32_t process_of = -1;  // the rank in whose own memory it lies, read by the kernel; or -1
  bool is_overwritten = false;   // where they come from

  [[nodiscard]] std::size_t steps(std::size_t block_bytes) const {
    return (block_bytes + piece - 1) / piece;
  }
  [[nodiscard]] std::byte* at(std::size_t block, std::size_t block_bytes, std::size_t step) const {
    return reinterpret_cast<std::byte*>(address) +
           (half > 0 ? step % 2 * half + block * piece : block * block_bytes + step * piece);
  }
};
static_assert(sizeof(Place) <= space::MemberLine::inline_bytes);

/// The bytes of a block that a step moves.
struct Part {
  std::size_t at, bytes;
};
inline Part part_of(std::size_t block_bytes, std::size_t piece, std::size_t step) {
  const std::size_t at = std::min(step * piece, block_bytes);
  return {at, std::min(piece, block_bytes - at)};
}

/// This member's blocks, as others can read them; and the window, if that takes one.
class Exposed {
 public:
  using Agreed = detail::TeamState::Agreed;
  using Way = message::FasterWay::Way;

  Exposed(detail::TeamState& team, const Source& source, const Agreed& agreed, Flow flow,
          std::size_t piece_max = SIZE_MAX);
  Exposed(const Exposed&) = delete;
  Exposed& operator=(const Exposed&) = delete;
  // Inlined into one that destroys an optional, it makes GCC 12 warn of a value that is not there.
  [[gnu::noinline]] ~Exposed();

  [[nodiscard]] const Place& place() const { return place_; }
  /// Whether it is to be noted how long that takes.
  [[nodiscard]] std::optional<Way> way() const { return way_; }
  void show() const;

  /// Copies those of a step into the window. Of several blocks one is this member's own, which
  /// nobody reads there.
  void fill(std::size_t step) const;

 private:
  void fill(std::size_t step, const Part& part, std::size_t block, std::size_t behind) const;
  void open_window(std::size_t all, std::size_t half);

  detail::TeamState& team_;
  const Source source_;
  const std::size_t block_bytes_;
  void* window_ = nullptr;
  std::optional<Way> way_;
  Place place_;
};

}  // namespace armature::team
