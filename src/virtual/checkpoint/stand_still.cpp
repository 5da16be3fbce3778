// All ranks stand where they wait: their stacks, heaps and records, and what is on its way between
// them, lie in the bands. So the memory file is all that a checkpoint needs, whatever ranks were
// about to do; only nobody may run while it is written. Each process writes the bands of as many
// ranks as the others, whoever hosts them.
#include "virtual/checkpoint/stand_still.hpp"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "armature/error.hpp"
#include "base/fail.hpp"
#include "virtual/addresses.hpp"
#include "virtual/checkpoint/builds.hpp"
#include "virtual/checkpoint/folder.hpp"
#include "virtual/checkpoint/pages.hpp"
#include "virtual/checkpoint/rank_record.hpp"

namespace armature::checkpoints {
namespace {

void copy_text(char (&to)[space::Halt::text_max], const std::string& text) {
  const std::size_t length = std::min(text.size(), sizeof to - 1);
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
}

/// The words that the program was started with.
std::vector<std::string> command() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

std::string working_folder() {
  char name[4096];
  return getcwd(name, sizeof name) != nullptr ? name : "/";
}

std::string part_name(int process) { return fmt::format("ranks-{}", process); }

}  // namespace

StandStill::StandStill(const space::Mapping& mapping, int process, int band_file)
    : mapping_(mapping),
      job_(mapping.header()),
      halt_(job_.halt),
      process_(process),
      band_file_(band_file) {}

/// False when it will not come, since somebody has died or all have left.
template <class Condition>
bool StandStill::wait(Condition condition) const {
  constexpr timespec nap{0, 50'000};
  while (!condition()) {
    const std::uint32_t deaths = job_.deaths.load(std::memory_order_acquire);
    if (deaths != 0 || job_.through.load(std::memory_order_acquire) >= job_.ranks) return false;
    nanosleep(&nap, nullptr);
  }
  return true;
}

void StandStill::run(int holder) { process_ == 0 ? lead(holder) : follow(holder); }

/// The first to fail says why.
void StandStill::give_up(std::string why) {
  // Whoever tells it begins with these words, too.
  if (constexpr std::string_view start = "armature: "; why.starts_with(start))
    why.erase(0, start.size());
  if (halt_.broken.fetch_add(1, std::memory_order_acq_rel) == 0) copy_text(halt_.problem, why);
}

void StandStill::write_part(int holder) {
  if (halt_.broken.load(std::memory_order_acquire) != 0) return;
  try {
    if (holder >= 0)
      base::fail(Errc::misuse,
                 fmt::format("rank {} holds something of its process (StaysHere), which cannot be "
                             "written",
                             holder));
    const std::uint64_t ranks = job_.ranks, processes = job_.processes;
    const auto number = static_cast<std::uint64_t>(process_);
    const std::uint64_t first = ranks * number / processes,
                        behind = ranks * (number + 1) / processes;
    PartWriter part(halt_.folder, part_name(process_));
    // Behind the last band lies what all ranks share.
    write_pages(band_file_, first * job_.band_bytes,
                behind == ranks ? UINT64_MAX / 2 : behind * job_.band_bytes, part);
    (void)part.finish();
  } catch (const std::exception& error) {
    give_up(error.what());
  }
}

void StandStill::follow(int holder) {
  const std::uint32_t wanted = halt_.wanted.load(std::memory_order_acquire);
  halt_.standing.fetch_add(1, std::memory_order_acq_rel);
  // The leader counts itself when there is a folder to write into.
  if (!wait([&] { return halt_.standing.load(std::memory_order_acquire) == job_.processes; }))
    return;
  write_part(holder);
  halt_.written.fetch_add(1, std::memory_order_acq_rel);
  (void)wait([&] { return halt_.over.load(std::memory_order_acquire) == wanted; });
}

void StandStill::lead(int holder) {
  const std::uint32_t wanted = halt_.wanted.load(std::memory_order_acquire);
  if (!wait([&] { return halt_.standing.load(std::memory_order_acquire) == job_.processes - 1; }))
    return;
  std::string folder;
  try {
    folder = make_folder(halt_.folder);
    copy_text(halt_.folder, folder);
  } catch (const std::exception& error) {
    give_up(error.what());
  }
  halt_.standing.fetch_add(1, std::memory_order_acq_rel);
  write_part(holder);
  halt_.written.fetch_add(1, std::memory_order_acq_rel);
  if (!wait([&] { return halt_.written.load(std::memory_order_acquire) == job_.processes; })) {
    abandon(folder);
    return;
  }
  if (halt_.broken.load(std::memory_order_acquire) == 0) {
    try {
      write_manifest();
    } catch (const std::exception& error) {
      give_up(error.what());
    }
  }
  if (halt_.broken.load(std::memory_order_acquire) != 0) {
    if (!folder.empty()) abandon(folder);
    halt_.failed.store(wanted, std::memory_order_relaxed);
  }
  halt_.standing.store(0, std::memory_order_relaxed);
  halt_.written.store(0, std::memory_order_relaxed);
  halt_.broken.store(0, std::memory_order_relaxed);
  halt_.over.store(wanted, std::memory_order_release);
  halt_.asked.store(0, std::memory_order_release);
}

void StandStill::write_manifest() {
  Manifest manifest;
  manifest.number = halt_.wanted.load(std::memory_order_relaxed);
  manifest.written_at = fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::gmtime(std::time(nullptr)));
  manifest.ranks = job_.ranks;
  manifest.processes = job_.processes;
  manifest.band_base = job_.band_base;
  manifest.band_bytes = job_.band_bytes;
  manifest.stack_bytes = job_.stack_bytes;
  manifest.check_full = job_.check_full != 0;
  manifest.through = job_.through.load(std::memory_order_relaxed);
  manifest.restarts = job_.halt.restarts;
  manifest.addresses = job_.addresses.load(std::memory_order_relaxed);
  const Builds builds = Builds::of_process();
  manifest.program_build = text(builds.program);
  manifest.library_build = text(builds.library);
  manifest.secrets = fibers::secrets_text();
  manifest.folder = working_folder();
  manifest.command = command();

  PartWriter control(halt_.folder, RankRecord::part);
  for (int rank = 0; rank < mapping_.ranks(); ++rank) {
    const RankRecord record = RankRecord::of(mapping_, rank);
    std::memcpy(control.add(static_cast<std::uint64_t>(rank) * sizeof record, sizeof record),
                &record, sizeof record);
  }
  manifest.parts.push_back(control.finish());
  for (int process = 0; process < static_cast<int>(job_.processes); ++process)
    manifest.parts.push_back(find_part(halt_.folder, part_name(process)));
  complete(halt_.folder, manifest);
}

}  // namespace armature::checkpoints
