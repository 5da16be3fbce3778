#include "checkpoint/segment_filler.hpp"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/write_all.hpp"

namespace armature::checkpoints {

SegmentFiller::SegmentFiller(int file) : file_(file) {
  struct stat status {};
  if (fstat(file, &status) != 0) base::fail(Errc::start, base::system_text(errno));
  file_bytes_ = static_cast<std::uint64_t>(status.st_size);
  map();
}

SegmentFiller::~SegmentFiller() {
  if (start_ != nullptr) munmap(start_, file_bytes_);
}

void SegmentFiller::map() {
  places_ = base::FileDescriptor(
      static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY)));
  uffdio_api api{.api = UFFD_API, .features = 0, .ioctls = 0};
  if (!places_ || ioctl(places_.get(), UFFDIO_API, &api) != 0) return;
  void* const start =
      mmap(nullptr, file_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_, 0);
  if (start == MAP_FAILED) return;
  uffdio_register all{.range = {reinterpret_cast<std::uintptr_t>(start), file_bytes_},
                      .mode = UFFDIO_REGISTER_MODE_MISSING,
                      .ioctls = 0};
  if (ioctl(places_.get(), UFFDIO_REGISTER, &all) == 0)
    start_ = start;
  else
    munmap(start, file_bytes_);
}

void SegmentFiller::put(const Run& run, const std::byte* memory) {
  if (run.offset > file_bytes_ || run.bytes > file_bytes_ - run.offset)
    base::fail(Errc::corrupt, "the checkpoint has pages that lie in no segment");
  std::unique_lock alone(writes_, std::try_to_lock);
  std::uint64_t placed = 0;
  if (!alone && start_ != nullptr) placed = place(run, memory);
  if (placed == run.bytes) return;
  if (!alone) alone.lock();
  write({run.offset + placed, run.bytes - placed}, memory + placed);
}

/// How many bytes of it: as far as no page is there already.
std::uint64_t SegmentFiller::place(const Run& run, const std::byte* memory) const {
  if (run.offset % page_bytes != 0 || run.bytes % page_bytes != 0) return 0;
  uffdio_copy pages{.dst = reinterpret_cast<std::uintptr_t>(start_) + run.offset,
                    .src = reinterpret_cast<std::uintptr_t>(memory),
                    .len = run.bytes,
                    .mode = 0,
                    .copy = 0};
  (void)ioctl(places_.get(), UFFDIO_COPY, &pages);
  return pages.copy > 0 ? static_cast<std::uint64_t>(pages.copy) : 0;
}

void SegmentFiller::write(Run run, const std::byte* memory) const {
  if (!base::write_all_at(file_, memory, run.bytes, run.offset))
    base::fail(Errc::out_of_memory,
               fmt::format("the ranks' memory cannot be filled: {}", base::system_text(errno)));
}

}  // namespace armature::checkpoints
