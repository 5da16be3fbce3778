#include "image/copies.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <ranges>
#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"

namespace armature::image {

Copies::Copies(std::vector<Loaded> originals, Plan plan, const Places& places,
               std::vector<base::FileDescriptor> files)
    : originals_(std::move(originals)),
      plan_(std::move(plan)),
      places_(places),
      files_(std::move(files)) {
  for (const Plan::ThreadLocals& one : plan_.thread_locals)
    thread_locals_.emplace_back(originals_[one.image].thread_locals, one.bytes);
}

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
  return std::ranges::any_of(thread_locals_, [&](std::span<const std::byte> one) {
    const auto first = reinterpret_cast<std::uintptr_t>(one.data());
    return at < first + one.size() && first < at + bytes;
  });
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
  if (rank < 0) return address;
  const std::uintptr_t distance = address - reinterpret_cast<std::uintptr_t>(of(rank));
  for (std::size_t i = 0; i < originals_.size(); ++i)
    if (distance - plan_.images[i].begin < plan_.images[i].bytes)
      return originals_[i].base + (distance - plan_.images[i].begin);
  return address;
}

std::uintptr_t Copies::own_of(int rank, std::uintptr_t address) const {
  for (std::size_t i = 0; i < originals_.size(); ++i)
    if (const std::uint64_t distance = address - originals_[i].base;
        distance < plan_.images[i].bytes)
      return reinterpret_cast<std::uintptr_t>(of(rank)) + plan_.images[i].begin + distance;
  return address;
}

void Copies::fill(int rank) const {
  std::byte* const image = of(rank);
  for (const Plan::Data& data : plan_.data)
    std::memcpy(image + data.begin, data.first.data(), data.first.size());
  for (const std::uint64_t at : plan_.moved)
    *reinterpret_cast<std::uint64_t*>(image + at) += reinterpret_cast<std::uintptr_t>(image);
  std::byte* thread_locals = thread_locals_of(rank);
  for (const Plan::ThreadLocals& one : plan_.thread_locals) {
    std::memcpy(thread_locals, image + one.begin, one.first_bytes);
    thread_locals += one.bytes;
  }
  for (const Plan::Borrowed& one : plan_.borrowed) {
    const void* const from =
        one.from != 0 ? image + one.from
                      : reinterpret_cast<const void*>(originals_.front().base + one.begin);
    std::memcpy(image + one.begin, from, one.bytes);
  }
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

std::uint64_t areas_max() {
  std::uint64_t most = 0;
  std::ifstream("/proc/sys/vm/max_map_count") >> most;
  return most != 0 ? most : UINT64_MAX;
}

void Copies::map_text(int rank) const {
  for (const Plan::Text& text : plan_.text) {
    void* const mapped =
        mmap(of(rank) + text.begin, text.bytes, text.protection, MAP_PRIVATE | MAP_FIXED,
             files_[text.image].get(), static_cast<off_t>(text.file_offset));
    if (mapped == MAP_FAILED)
      base::fail(
          Errc::start,
          fmt::format("--private-globals: the program's code cannot be mapped for rank {}: "
                      "{} (each rank that runs here, or has, takes {} memory areas and those of "
                      "its stack; the kernel gives a process {}: vm.max_map_count)",
                      rank, base::system_text(errno), plan_.areas(), areas_max()));
  }
}

void Copies::call_all(int rank, const Plan::Functions& functions, int argc, char** argv,
                      char** variables) const {
  using Function = void(int, char**, char**);
  auto* const addresses = reinterpret_cast<Function**>(of(rank) + functions.begin);
  for (std::uint64_t i = 0; i < functions.count; ++i) addresses[i](argc, argv, variables);
}

void Copies::construct(int rank, int argc, char** argv, char** variables) const {
  for (const std::size_t number : plan_.order) {
    const Plan::Image& image = plan_.images[number];
    if (image.init_function != 0) reinterpret_cast<void (*)()>(of(rank) + image.init_function)();
    call_all(rank, image.init, argc, argv, variables);
  }
}

void Copies::destroy(int rank) const {
  using Function = void();
  for (const std::size_t number : std::views::reverse(plan_.order)) {
    const Plan::Image& image = plan_.images[number];
    auto* const addresses = reinterpret_cast<Function**>(of(rank) + image.fini.begin);
    for (std::uint64_t i = image.fini.count; i > 0; --i) addresses[i - 1]();
    if (image.fini_function != 0) reinterpret_cast<void (*)()>(of(rank) + image.fini_function)();
  }
}

}  // namespace armature::image
