#include "image/copies.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"

namespace armature::image {

Copies::Copies(const Loaded& original, Plan plan, const Places& places, base::FileDescriptor file)
    : original_(original.base),
      thread_locals_(original.thread_locals),
      plan_(std::move(plan)),
      places_(places),
      file_(std::move(file)) {}

bool Copies::text_holds(const void* address, std::size_t bytes) const {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const auto first = reinterpret_cast<std::uintptr_t>(places_.first);
  // The bytes may begin in front of a rank's copy and reach into it: so their end is looked at,
  // too.
  const std::uint64_t behind = at - first;
  for (const std::uint64_t rank :
       {behind / places_.distance, (behind + bytes) / places_.distance}) {
    if (rank >= static_cast<std::uint64_t>(places_.count)) continue;
    const std::uintptr_t copy = first + rank * places_.distance;
    for (const Plan::Text& text : plan_.text)
      if (at < copy + text.begin + text.bytes && copy + text.begin < at + bytes) return true;
  }
  return false;
}

bool Copies::thread_locals_hold(const void* address, std::size_t bytes) const {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const auto first = reinterpret_cast<std::uintptr_t>(thread_locals_);
  return at < first + plan_.thread_locals.bytes && first < at + bytes;
}

int Copies::owner(std::uintptr_t address) const {
  const std::uint64_t behind = address - reinterpret_cast<std::uintptr_t>(places_.first);
  const std::uint64_t rank = behind / places_.distance;
  const bool is_inside =
      rank < static_cast<std::uint64_t>(places_.count) && behind % places_.distance < plan_.bytes;
  return is_inside ? static_cast<int>(rank) : -1;
}

std::uintptr_t Copies::original_of(std::uintptr_t address) const {
  const int rank = owner(address);
  return rank < 0 ? address : address - reinterpret_cast<std::uintptr_t>(of(rank)) + original_;
}

std::uintptr_t Copies::own_of(int rank, std::uintptr_t address) const {
  const std::uint64_t distance = address - original_;
  return distance < plan_.bytes ? reinterpret_cast<std::uintptr_t>(of(rank)) + distance : address;
}

void Copies::fill(int rank) const {
  std::byte* const image = of(rank);
  for (const Plan::Data& data : plan_.data)
    std::memcpy(image + data.begin, data.first.data(), data.first.size());
  for (const std::uint64_t at : plan_.moved)
    *reinterpret_cast<std::uint64_t*>(image + at) += reinterpret_cast<std::uintptr_t>(image);
  std::memcpy(thread_locals_of(rank), image + plan_.thread_locals.begin,
              plan_.thread_locals.first_bytes);
  for (const Plan::Borrowed& one : plan_.borrowed)
    std::memcpy(image + one.begin, reinterpret_cast<const void*>(original_ + one.begin), one.bytes);
  if (!plan_.given.empty())
    std::memcpy(image + plan_.given_begin(), plan_.given.data(),
                plan_.given.size() * sizeof(std::uint64_t));
  // Nobody would tell a copy that the process has threads.
  if (const std::uint64_t at = plan_.own_at("__libc_single_threaded"); at != 0)
    image[at] = std::byte{0};
  // The program may have read its own arguments before.
  if (const std::uint64_t at = plan_.own_at("optind"); at != 0)
    *reinterpret_cast<int*>(image + at) = 1;
}

void Copies::map_text(int rank) const {
  for (const Plan::Text& text : plan_.text) {
    void* const mapped =
        mmap(of(rank) + text.begin, text.bytes, text.protection, MAP_PRIVATE | MAP_FIXED,
             file_.get(), static_cast<off_t>(text.file_offset));
    if (mapped == MAP_FAILED)
      base::fail(Errc::start,
                 fmt::format("--private-globals: the program's code cannot be mapped for rank {}: "
                             "{} (each rank needs {} memory areas; the limit of a process is "
                             "vm.max_map_count)",
                             rank, base::system_text(errno), plan_.text.size() + 1));
  }
}

void Copies::call_all(int rank, const Plan::Functions& functions, int argc, char** argv,
                      char** variables) const {
  using Function = void(int, char**, char**);
  auto* const addresses = reinterpret_cast<Function**>(of(rank) + functions.begin);
  for (std::uint64_t i = 0; i < functions.count; ++i) addresses[i](argc, argv, variables);
}

void Copies::construct(int rank, int argc, char** argv, char** variables) const {
  if (plan_.init_function != 0) reinterpret_cast<void (*)()>(of(rank) + plan_.init_function)();
  call_all(rank, plan_.init, argc, argv, variables);
}

void Copies::destroy(int rank) const {
  using Function = void();
  auto* const addresses = reinterpret_cast<Function**>(of(rank) + plan_.fini.begin);
  for (std::uint64_t i = plan_.fini.count; i > 0; --i) addresses[i - 1]();
  if (plan_.fini_function != 0) reinterpret_cast<void (*)()>(of(rank) + plan_.fini_function)();
}

}  // namespace armature::image
