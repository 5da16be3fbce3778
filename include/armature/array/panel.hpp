#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "armature/array/columns.hpp"
#include "armature/fence.hpp"
#include "armature/get.hpp"
#include "armature/piece.hpp"
#include "armature/signal.hpp"
#include "armature/team.hpp"
#include "armature/wait_until.hpp"

namespace armature::detail {

/// The tile of columns that is factored now, on its way from the member that has factored it to all
/// others. A member publishes it in memory of its own and tells the others; each fetches it when it
/// has done with the one before. Tiles are dealt out in turn.
///
/// One place a member is enough: before a member factors its next tile, all others have factored
/// one, for which they needed this one.
template <class T>
class SharedPanel {
 public:
  /// Collective. Tiles have `width` columns, of at most `rows` rows.
  SharedPanel(const Team& team, std::ptrdiff_t rows, std::ptrdiff_t width)
      : team_(team),
        elements_(team.allocate<T>(static_cast<std::size_t>(rows * width))),
        notes_(team.allocate<std::int64_t>(static_cast<std::size_t>(width))),
        published_(team.allocate<std::uint64_t>(1)) {
    panel_.reserve(static_cast<std::size_t>(rows * width));
    note_.reserve(static_cast<std::size_t>(width));
  }
  /// Collective: gives the memory back. No destructor does, since one that runs for an exception
  /// may be the only one.
  void release() {
    team_.free(published_);
    team_.free(notes_);
    team_.free(elements_);
  }

  /// Shows the tile that the caller has factored to all. Each column has a note.
  void publish(const Columns<T>& tile, std::span<const std::int64_t> notes) {
    T* const to = elements_.local().data();
    for (std::ptrdiff_t j = 0; j < tile.count; ++j)
      std::copy_n(tile.column(j), tile.rows, to + j * tile.rows);
    std::ranges::copy(notes, notes_.local().begin());
    const int me = team_.rank(), members = team_.size();
    // The next one first: it factors the next tile.
    for (int i = 1; i < members; ++i) signal_add(published_.on((me + i) % members), 1);
  }
  /// Waits for the next tile, of so many rows and columns, which `owner` has.
  void fetch(int owner, std::ptrdiff_t rows, std::ptrdiff_t width) {
    const auto count = static_cast<std::size_t>(rows * width);
    if (owner == team_.rank()) {
      now_ = {elements_.local().data(), rows, rows, width};
      note_.assign(notes_.local().begin(), notes_.local().begin() + width);
      return;
    }
    // Signals of two members may come in another order than tiles were published. When so many have
    // come, this tile has been.
    signal_wait_until(published_.local().data(), Comparison::ge, ++awaited_);
    panel_.resize(count);
    note_.resize(static_cast<std::size_t>(width));
    get(note_, notes_.on(owner));
    get(panel_, elements_.on(owner));
    now_ = {panel_.data(), rows, rows, width};
  }
  /// The tile that was fetched last.
  [[nodiscard]] const Columns<T>& tile() const { return now_; }
  [[nodiscard]] const std::vector<std::int64_t>& notes() const { return note_; }

 private:
  Team team_;
  Piece<T> elements_;
  Piece<std::int64_t> notes_;
  Piece<std::uint64_t> published_;
  std::uint64_t awaited_ = 0;
  std::vector<T> panel_;
  std::vector<std::int64_t> note_;
  Columns<T> now_{};
};

}  // namespace armature::detail
