#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "migration/segment_file.hpp"
#include "space/mapping.hpp"

namespace armature::migration {

class PageCache;

/// Writes the pages that ranks bring from another node: through the memory file, or straight to
/// where they lie if this process has pages there. It has those that the rank left here. It makes
/// huge ones, of 2 MiB, where all of such a page is to come: clearing and mapping one takes a
/// quarter of what its 512 small ones take. Under the links' lock.
class PageReceiver {
 public:
  explicit PageReceiver(const space::Mapping& mapping, int file) : mapping_(mapping), file_(file) {}

  /// Says that these segments can be touched from now on.
  void open(const PageCache& left) { left_ = &left; }
  /// Makes zeros of what a rank has left here, in these places of its segment.
  void empty(int rank, const Stretch& hole) const;
  /// The first bytes of a stretch of a rank's segment, which is to come as a whole. false: there is
  /// no memory; errno says why.
  bool write(int rank, const Stretch& touched, std::span<const std::byte> bytes);

 private:
  void make_huge_pages(const Stretch& piece, std::uint64_t end);
  [[nodiscard]] bool make_huge_page(std::uint64_t at) const;

  const space::Mapping& mapping_;
  const int file_;
  const PageCache* left_ = nullptr;
  Stretch huge_;              // those made last
  std::int64_t loss_ns_ = 0;  // by making huge pages instead of small ones
};

}  // namespace armature::migration
