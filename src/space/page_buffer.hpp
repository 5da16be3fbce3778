#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include "space/pages.hpp"

namespace armature::space {

using space::page_bytes;

/// Room for a block that begins with a page. The system copies several times slower between memory
/// and a file when the two lie a few bytes apart in their pages, as they do when malloc has put its
/// own words before the memory.
class PageBuffer {
 public:
  explicit PageBuffer(std::size_t bytes)
      : bytes_(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{page_bytes}))) {}

  [[nodiscard]] std::byte* data() const { return bytes_.get(); }

 private:
  struct Free {
    void operator()(std::byte* bytes) const {
      ::operator delete (bytes, std::align_val_t{page_bytes});
    }
  };
  std::unique_ptr<std::byte, Free> bytes_;
};

}  // namespace armature::space
