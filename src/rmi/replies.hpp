#pragma once

#include <cstdint>
#include <vector>

#include "armature/detail/reply.hpp"
#include "space/address_space.hpp"

namespace armature::rmi {

/// The reply slots of a rank, in its segment: where others write the answers to its calls. Grows by
/// a page at a time. A slot that is dropped before its answer came is used again when it has come.
/// If it was promised, that is at once, as then perhaps nobody answers.
class Replies {
 public:
  explicit Replies(space::AddressSpace& space) : space_(space) {}

  [[nodiscard]] detail::Reply* take();
  /// A slot that is answered by whoever has the promise of that number.
  [[nodiscard]] detail::Reply* take_promised(std::uint32_t& number);
  void give_back(detail::Reply* reply);

 private:
  void grow();
  static bool take_back(detail::Reply& reply);
  void recycle(detail::Reply* reply);

  space::AddressSpace& space_;
  std::vector<detail::Reply*> free_;
  std::vector<detail::Reply*> abandoned_;
  std::uint32_t promises_ = 0;
};

}  // namespace armature::rmi
