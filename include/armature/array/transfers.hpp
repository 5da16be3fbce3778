#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "armature/accumulate.hpp"
#include "armature/array/plan.hpp"
#include "armature/handle.hpp"
#include "armature/iov.hpp"
#include "armature/rank.hpp"
#include "armature/strided.hpp"

namespace armature::detail {

/// Part of each element.
struct ElementField {
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

/// Planned transfers between an array and local memory, with all addresses: one operation for each
/// rank concerned. They may be started again and again.
class ArrayTransfers {
 public:
  enum class Verb { put, get, accumulate };

  ArrayTransfers(Verb verb, std::size_t element_bytes)
      : ArrayTransfers(verb, element_bytes, {.offset = 0, .bytes = element_bytes}) {}
  /// Transfers of one field of each element. Local memory has nothing but that field, and gets or
  /// puts it.
  ArrayTransfers(Verb verb, std::size_t element_bytes, const ElementField& field)
      : verb_(verb), element_bytes_(element_bytes), field_(field) {}

  // Pieces are named by spans of their own lists, which a copy would not have.
  ArrayTransfers(const ArrayTransfers&) = delete;
  ArrayTransfers& operator=(const ArrayTransfers&) = delete;
  ArrayTransfers(ArrayTransfers&&) = default;
  ArrayTransfers& operator=(ArrayTransfers&&) = default;

  /// Takes what accumulate needs besides: the kind of elements, and the factor, which stays until
  /// start() has returned.
  void accumulate_by(Element element, const void* scale) {
    element_ = element;
    scale_ = scale;
  }
  /// `is_near`: loads and stores reach the rank, so that no message is saved by one operation for
  /// several boxes, which then need not be taken apart.
  ARMATURE_API void add(Rank rank, bool is_near, std::byte* remote, std::byte* local,
                        const std::vector<ArrayBox>& boxes);

  /// Single elements.
  ARMATURE_API void add_elements(Rank rank, std::span<std::byte* const> remote,
                                 std::span<std::byte* const> local);

  /// Says where the local memory of what was added begins, so that it can be moved.
  void begin_at(std::byte* local) { local_ = local; }
  /// Makes the transfers those of local memory that begins elsewhere: begin_at() has been called.
  ARMATURE_API void move_local(std::byte* local);
  /// Whether ranks are still near that were near when they were added: else they cost more messages
  /// than they must.
  [[nodiscard]] ARMATURE_API bool is_as_planned() const;

  /// Starts them all; those that are not complete at once are appended.
  ARMATURE_API void start(std::vector<Handle>& under_way) const;
  /// Starts them all. wait() completes them: puts and accumulates locally. After the first run they
  /// allocate nothing of their own.
  ARMATURE_API void start();
  ARMATURE_API void wait();
  /// Starts and completes them, in the order of blocking ones.
  ARMATURE_API void perform();
  [[nodiscard]] Verb verb() const { return verb_; }
  /// How many ranks are concerned.
  [[nodiscard]] std::size_t ranks() const { return ranks_; }
  /// How many operations that is.
  [[nodiscard]] std::size_t operations() const { return strided_.size() + scattered_.size(); }
  /// How many of them go to ranks of other nodes: one to each.
  [[nodiscard]] ARMATURE_API std::size_t messages() const;
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  /// One box.
  struct OneBox {
    Rank rank;
    std::byte* remote;
    std::byte* local;
    std::size_t levels = 0;
    std::array<std::size_t, Strided::levels_max + 1> counts{};
    std::array<std::ptrdiff_t, Strided::levels_max> remote_strides{};
    std::array<std::ptrdiff_t, Strided::levels_max> local_strides{};
    bool is_pair = false;  // of two boxes
  };
  static constexpr std::size_t near_boxes_max = 64;
  static constexpr std::size_t pair_row_bytes_max = 64;

  /// The rows of several boxes, sorted by their length.
  struct Rows {
    Rank rank;
    std::vector<void*> to;
    std::vector<void*> from;
    std::vector<Iov> iov;
  };

  [[nodiscard]] OneBox described(Rank rank, std::byte* remote, std::byte* local,
                                 const ArrayBox& box) const;
  /// Makes one box of two of the same form, if their rows are short: the ends of a line, as ghosts
  /// on both sides are, lie in the same cache lines, which are then touched once.
  [[nodiscard]] static bool joined(OneBox& box, const OneBox& other);
  void append_rows(Rows& rows, const OneBox& box) const;
  void add_rows(Rank rank, std::byte* remote, std::byte* local, const std::vector<ArrayBox>& boxes);
  [[nodiscard]] Strided shape_of(const OneBox& one) const;
  [[nodiscard]] Handle start_one(const OneBox& one) const;
  [[nodiscard]] Handle start_one(const Rows& rows) const;
  void perform_one(const OneBox& one) const;
  void perform_one(const Rows& rows) const;

  Verb verb_;
  std::size_t element_bytes_;
  ElementField field_;
  Element element_ = Element::int32;
  const void* scale_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t ranks_ = 0;
  std::byte* local_ = nullptr;
  std::vector<OneBox> strided_;
  std::vector<Rows> scattered_;
  std::vector<Rank> near_;  // ranks to which several boxes go one by one
  std::vector<Handle> under_way_;
};

}  // namespace armature::detail
