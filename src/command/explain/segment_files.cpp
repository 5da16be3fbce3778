#include "command/explain/segment_files.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "space/job_memory.hpp"
#include "space/world_place.hpp"

namespace armature::command {

int SegmentFiles::owner(const space::ControlHeader& header, std::uint64_t address) {
  if (address < header.layout.segment_base || header.layout.segment_bytes == 0) return -1;
  const std::uint64_t rank = (address - header.layout.segment_base) / header.layout.segment_bytes;
  return rank < header.ranks ? static_cast<int>(rank) : -1;
}

SegmentFiles SegmentFiles::of_node(const space::ControlHeader& header, int node) const {
  const auto files = static_cast<std::ptrdiff_t>(header.layout.files(header.ranks));
  if (node < 0 || (node + 1) * files > std::ssize(fds)) return *this;
  const auto first = fds.begin() + node * files;
  return {.fds = {first, first + files}, .controls = controls};
}

bool SegmentFiles::read(const space::ControlHeader& header, std::uint64_t address, void* to,
                        std::size_t bytes) const {
  const auto place = find(header, address, bytes);
  return place && pread(place->file, to, bytes, static_cast<off_t>(place->offset)) ==
                      static_cast<ssize_t>(bytes);
}

std::optional<SegmentFiles::Place> SegmentFiles::find(const space::ControlHeader& header,
                                                      std::uint64_t address,
                                                      std::size_t bytes) const {
  // All segments, and the world's block behind them.
  if (space::world_lies_behind(header)) {
    if (fds.empty() || address < header.layout.segment_base) return std::nullopt;
    return Place{fds[0], address - header.layout.segment_base};
  }
  const int rank = owner(header, address);
  if (rank < 0) return std::nullopt;
  const auto [file, begin] = header.layout.file_place(static_cast<std::uint32_t>(rank));
  if (file >= fds.size()) return std::nullopt;
  const std::uint64_t offset = (address - header.layout.segment_base) % header.layout.segment_bytes;
  if (bytes > header.layout.segment_bytes - offset) return std::nullopt;
  return Place{fds[file], begin + offset};
}

bool show_slots_of(const space::Control& control, int other_file, bool writable) {
  space::ControlHeader other;
  const space::ControlHeader& job = control.header();
  if (!space::read_header(other_file, other) || other.ranks != job.ranks ||
      job.layout.slot_bytes != space::Control::slot_page ||
      other.layout.slot_bytes != job.layout.slot_bytes)
    return false;
  for (int rank = 0; rank < static_cast<int>(control.header().ranks); ++rank) {
    if (control.slot(rank).node != other.node) continue;
    if (!show_slot(control, rank, other_file, writable)) return false;
  }
  return true;
}

bool show_slot(const space::Control& control, int rank, int other_file, bool writable) {
  const int access = PROT_READ | (writable ? PROT_WRITE : 0);
  space::RankSlot& slot = control.slot(rank);
  const auto offset = reinterpret_cast<std::byte*>(&slot) - control.start;
  return mmap(&slot, space::Control::slot_page, access, MAP_SHARED | MAP_FIXED, other_file,
              offset) != MAP_FAILED;
}

}  // namespace armature::command
