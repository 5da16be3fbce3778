// Each process has a page of its own in the store, where it writes one value behind the other; a
// fence is a barrier of those that begin the job.
#include "bootstrap/key_value_store.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <ctime>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/futex.hpp"
#include "bootstrap/join_once.hpp"
#include "bootstrap/start_timeout.hpp"

namespace armature::bootstrap {

using base::fail;

struct KeyValueStore::Head {
  std::uint32_t processes = 0, places = 0;
  std::atomic<std::uint32_t> arrived{0};
  std::atomic<std::uint32_t> fences{0};  // futex word
  std::atomic<std::int32_t> lost{0};     // a process that has died, counted from 1
};

/// A page: what its process has put, each a Title, the key and the value. Sparse.
struct KeyValueStore::Page {
  static constexpr std::size_t bytes_max = std::size_t{4} << 20;
  struct Title {
    std::uint32_t key_bytes;
    std::uint32_t value_bytes;
  };

  std::uint64_t used = 0;
  std::atomic<std::int32_t> pid{0};  // whose it is
  std::byte bytes[1];

  static constexpr std::size_t room = bytes_max - 64;
};

namespace {

constexpr std::size_t head_bytes = 4096;

std::size_t store_bytes(std::uint64_t places) {
  return head_bytes + places * (std::size_t{4} << 20);
}

}  // namespace

base::FileDescriptor KeyValueStore::create(int processes, int places) {
  base::FileDescriptor file(memfd_create("armature-key-value-store", MFD_CLOEXEC));
  Head head;
  head.processes = static_cast<std::uint32_t>(processes);
  head.places = static_cast<std::uint32_t>(places);
  if (!file || ftruncate(file.get(), static_cast<off_t>(store_bytes(head.places))) != 0 ||
      pwrite(file.get(), &head, sizeof head, 0) != sizeof head)
    fail(Errc::start, fmt::format("the memory file by which the nodes of the job find each other "
                                  "cannot be made: {}",
                                  base::system_text(errno)));
  return file;
}

// Seen at the next look: whoever waits looks ten times a second.
void KeyValueStore::lose(int file, int process) {
  const std::int32_t lost = process + 1;
  if (file >= 0) (void)!pwrite(file, &lost, sizeof lost, offsetof(Head, lost));
}

KeyValueStore::KeyValueStore(const base::FileDescriptor& file, int process) : process_(process) {
  struct stat status {};
  void* start = MAP_FAILED;
  if (fstat(file.get(), &status) == 0 && static_cast<std::size_t>(status.st_size) > head_bytes)
    start = mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ | PROT_WRITE,
                 MAP_SHARED, file.get(), 0);
  if (start == MAP_FAILED)
    fail(Errc::start, fmt::format("descriptor {} is not what the nodes of a job find each other by",
                                  file.get()));
  head_ = static_cast<Head*>(start);
  ARMATURE_ASSERT(store_bytes(head_->places) == static_cast<std::size_t>(status.st_size));
  std::int32_t nobody = 0;
  if (!page(process).pid.compare_exchange_strong(nobody, getpid()) && nobody != getpid())
    refuse_to_join_twice("process", process);
}

KeyValueStore::~KeyValueStore() { munmap(head_, store_bytes(head_->places)); }

int KeyValueStore::processes() const { return static_cast<int>(head_->processes); }

KeyValueStore::Page& KeyValueStore::page(int process) const {
  return *reinterpret_cast<Page*>(reinterpret_cast<std::byte*>(head_) + head_bytes +
                                  static_cast<std::size_t>(process) * Page::bytes_max);
}

void KeyValueStore::put(std::string_view key, std::span<const std::byte> value) {
  Page& mine = page(process_);
  const Page::Title title{static_cast<std::uint32_t>(key.size()),
                          static_cast<std::uint32_t>(value.size())};
  if (sizeof title + key.size() + value.size() > Page::room - mine.used)
    fail(Errc::start, fmt::format("a process published more than {} bytes", Page::room));
  std::byte* at = mine.bytes + mine.used;
  std::memcpy(at, &title, sizeof title);
  std::memcpy(at + sizeof title, key.data(), key.size());
  if (!value.empty()) std::memcpy(at + sizeof title + key.size(), value.data(), value.size());
  mine.used += sizeof title + key.size() + value.size();
}

std::vector<std::byte> KeyValueStore::look_up(int process, std::string_view key) {
  ARMATURE_ASSERT(process >= 0 && static_cast<std::uint32_t>(process) < head_->places);
  const Page& theirs = page(process);
  for (std::uint64_t at = 0; at < theirs.used;) {
    Page::Title title;
    std::memcpy(&title, theirs.bytes + at, sizeof title);
    const auto* name = reinterpret_cast<const char*>(theirs.bytes + at + sizeof title);
    const std::byte* value = theirs.bytes + at + sizeof title + title.key_bytes;
    if (key == std::string_view(name, title.key_bytes)) return {value, value + title.value_bytes};
    at += sizeof title + title.key_bytes + title.value_bytes;
  }
  fail(Errc::start, fmt::format("process {} has not published '{}'", process, key));
}

void KeyValueStore::wait_for_all(std::chrono::milliseconds patience) {
  const std::uint32_t before = head_->fences.load(std::memory_order_acquire);
  // Acquire and release: what was put before is seen by whoever goes on after.
  if (head_->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == head_->processes) {
    head_->arrived.store(0, std::memory_order_relaxed);
    head_->fences.fetch_add(1, std::memory_order_release);
    base::futex_wake(head_->fences);
    return;
  }
  const auto until = std::chrono::steady_clock::now() + patience;
  while (head_->fences.load(std::memory_order_acquire) == before) {
    base::futex_wait(head_->fences, before, 100'000'000);
    if (const int lost = head_->lost.load(std::memory_order_relaxed); lost != 0)
      fail(Errc::start,
           fmt::format("process {} has died before the nodes of the job have found each other",
                       lost - 1));
    if (std::chrono::steady_clock::now() > until)
      fail(
          Errc::start,
          fmt::format("only {} of {} processes have joined the job within {} s ({}=SECONDS to wait "
                      "longer)",
                      head_->arrived.load(std::memory_order_relaxed), head_->processes,
                      patience.count() / 1000, start_timeout_variable));
  }
}

}  // namespace armature::bootstrap
