#pragma once

#include <vector>

#include "armature/detail/reply.hpp"
#include "space/address_space.hpp"

namespace armature::rmi {

/// The reply slots of a rank, in its band: where others write the answers to its questions. Grows
/// by a page at a time; a slot that is dropped before its answer came is used again when it has
/// come.
class Replies {
 public:
  explicit Replies(space::AddressSpace& space) : space_(space) {}

  [[nodiscard]] detail::Reply* take();
  void give_back(detail::Reply* reply);

 private:
  void grow();

  space::AddressSpace& space_;
  std::vector<detail::Reply*> free_;
  std::vector<detail::Reply*> abandoned_;
};

}  // namespace armature::rmi
