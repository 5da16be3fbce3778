#include "world/restored_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include <fmt/format.h>

#include "armature/error.hpp"
#include "base/fail.hpp"
#include "base/futex.hpp"
#include "base/variable.hpp"
#include "bootstrap/environment.hpp"
#include "bootstrap/start_again.hpp"
#include "checkpoint/load.hpp"

namespace armature {
namespace {

constexpr const char* checkpoint_key = "checkpoint";
constexpr std::size_t checksum_chars = 16;

}  // namespace

std::optional<checkpoints::Found> checkpoint_to_go_on_from() {
  const std::string& path = bootstrap::restart_wanted();
  return path.empty() ? std::nullopt : std::optional(checkpoints::find(path));
}

space::Room room_to_hold(const std::string& restart) {
  if (restart.empty())
    return {.base = base::number_variable("ARMATURE_BASE").value_or(space::default_base)};
  try {
    const checkpoints::Manifest manifest = checkpoints::find(restart).manifest;
    const std::uint64_t segment = std::max<std::uint64_t>(manifest.layout.segment_bytes, 1);
    // Nobody reserves more at a time.
    const bool is_all = manifest.ranks <= space::default_room / segment;
    return {.base = manifest.layout.segment_base,
            .bytes = is_all ? manifest.ranks * segment : space::default_room};
  } catch (const Error&) {  // as said
  }
  return {};
}

void tell_checkpoint(bootstrap::Exchange& exchange,
                     const std::optional<checkpoints::Found>& checkpoint) {
  std::string told(checksum_chars, '0');
  if (checkpoint)
    told =
        fmt::format("{:016x} {}", checkpoints::Manifest::checksum_of(checkpoint->manifest.text()),
                    checkpoint->folder);
  exchange.put(checkpoint_key, std::as_bytes(std::span(told)));
}

void require_one_checkpoint(bootstrap::Exchange& exchange,
                            const bootstrap::ProcessTable& process_table) {
  std::string first_checksum, places;
  bool is_one = true;
  for (std::size_t process = 0; process < process_table.members.size(); ++process) {
    const bootstrap::Member& member = process_table.members[process];
    if (member.index != 0) continue;
    const auto bytes = exchange.get(static_cast<int>(process), checkpoint_key);
    const std::string told(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::string checksum = told.substr(0, checksum_chars);
    if (process == 0) first_checksum = checksum;
    is_one = is_one && checksum == first_checksum;
    places += fmt::format(
        "{}{} from {}", places.empty() ? "" : ", ", member.host,
        told.size() > checksum_chars ? told.substr(checksum_chars + 1) : "the beginning");
  }
  if (!is_one)
    base::fail(Errc::start,
               fmt::format("the nodes would go on from different checkpoints: {}; {} must lead all "
                           "of them to the same one",
                           places, bootstrap::restart_variable));
}

space::JobMemory memory_to_fill(space::JobOptions options, const checkpoints::Found& found) {
  const checkpoints::Manifest& manifest = found.manifest;
  const bool are_virtual = options.virtual_processes.has_value();
  if (!are_virtual || options.ranks != manifest.ranks)
    base::fail(Errc::start,
               fmt::format("{} is of {} virtual ranks, this job has {}{}", found.folder,
                           manifest.ranks, options.ranks, are_virtual ? "" : " of another kind"));
  options.slots_have_pages = manifest.layout.slot_bytes == space::Control::slot_page;
  options.stack_bytes = manifest.layout.stack_bytes;
  options.segment_base = manifest.layout.segment_base;
  options.segment_bytes = manifest.layout.segment_bytes;
  options.check_full = manifest.check_full;
  space::JobMemory memory = space::JobMemory::create(options);
  const space::Control control = space::map_control(memory.control.get());
  control.header().quiesce.is_filling.store(1, std::memory_order_relaxed);
  checkpoints::prepare(found, control);
  return memory;
}

void fill(space::JobMemory& memory, const checkpoints::Found& found) {
  checkpoints::fill(found, std::span(&memory, 1), {}, [&] {
    std::atomic<std::uint32_t>& word =
        space::map_control(memory.control.get()).header().quiesce.is_filling;
    // Release: who sees this sees the memory.
    word.store(0, std::memory_order_release);
    base::futex_wake(word);
  });
}

}  // namespace armature
