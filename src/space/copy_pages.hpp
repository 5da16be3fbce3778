#pragma once

#include <cstddef>
#include <cstdint>

namespace armature::space {

/// The addresses in this process's memory at which pages of either file lie, if it has touched most
/// of them. Such pages are copied once instead of twice.
struct Touched {
  std::byte* from = nullptr;
  std::byte* to = nullptr;
};

/// Makes the pages from `begin` to `end` of one memory file those of another: touched where they
/// are touched there. Throws Error(out_of_memory).
void copy_pages(int from, int to, std::uint64_t begin, std::uint64_t end,
                const Touched& touched = {});
/// These pages take no memory any more, and are zero; false: that could not be.
bool give_back_pages(int file, std::uint64_t begin, std::uint64_t end);
/// Makes all touched pages there zero again, so that they take no memory. Throws
/// Error(out_of_memory).
void empty_pages(int file, std::uint64_t begin, std::uint64_t end);

}  // namespace armature::space
