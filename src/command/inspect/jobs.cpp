#include "command/inspect/jobs.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "armature/error.hpp"
#include "base/file_limit.hpp"
#include "space/job_memory.hpp"

namespace armature::command {
namespace {

std::string descriptor_path(int pid, int fd) {
  return "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(fd);
}

std::vector<int> numbers_in(const std::string& folder) {
  std::vector<int> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(opendir(folder.c_str()), &closedir);
  if (!open) return numbers;
  while (const dirent* entry = readdir(open.get())) {
    const long number = std::strtol(entry->d_name, nullptr, 10);
    if (number > 0 || std::string_view(entry->d_name) == "0")
      numbers.push_back(static_cast<int>(number));
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

/// "armature-segment" for a descriptor that is such a memory file; its name, if it is none.
std::string memory_file_name(int pid, int fd) {
  std::array<char, PATH_MAX> target{};
  if (readlink(descriptor_path(pid, fd).c_str(), target.data(), target.size() - 1) <= 0) return "";
  std::string_view name = target.data();
  constexpr std::string_view prefix = "/memfd:", suffix = " (deleted)";
  if (!name.starts_with(prefix)) return "";
  name.remove_prefix(prefix.size());
  if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  return std::string(name);
}

struct Files {
  std::vector<int> controls;
  std::vector<int> segments;
};

/// Identifies a file, whatever its number.
std::pair<dev_t, ino_t> identity(int pid, int fd) {
  struct stat status {};
  (void)stat(descriptor_path(pid, fd).c_str(), &status);
  return {status.st_dev, status.st_ino};
}

Files job_files(int pid) {
  Files files;
  std::set<std::pair<dev_t, ino_t>> seen;  // a rank's own segment may be open twice
  for (int fd : numbers_in("/proc/" + std::to_string(pid) + "/fd")) {
    const std::string name = memory_file_name(pid, fd);
    const bool is_control = name == space::control_name;
    if (!is_control && name != space::segment_name) continue;
    if (!seen.insert(identity(pid, fd)).second) continue;
    (is_control ? files.controls : files.segments).push_back(fd);
  }
  return files;
}

base::FileDescriptor open_for_reading(int pid, int fd) {
  return base::FileDescriptor(open(descriptor_path(pid, fd).c_str(), O_RDONLY | O_CLOEXEC));
}

/// Makes room for so many more, beside those that are open.
void make_room_for_files(std::size_t more, const std::string& who) {
  constexpr std::size_t for_others = 16;
  base::raise_file_limit(numbers_in("/proc/self/fd").size() + more + for_others, who);
}

/// Whether that process is the launcher of the job whose control block this is. Others have it
/// open, too: ranks that start, and whoever looks at jobs, as we do, at several that are not one.
bool is_of_launcher(const base::FileDescriptor& control, int pid) {
  space::ControlHeader header;
  return control && space::read_header(control.get(), header) && header.launcher.pid == pid;
}

}  // namespace

ObservedJob::ObservedJob(int holder, std::vector<base::FileDescriptor> controls,
                         const std::vector<int>& segments)
    : holder_(holder),
      control_files_(std::move(controls)),
      control_(space::map_control(control_files_.front().get(), false)) {
  struct stat status {};
  fstat(control_files_.front().get(), &status);
  mapped_bytes_ = static_cast<std::size_t>(status.st_size);
  for (std::size_t node = 1; node < control_files_.size(); ++node)
    (void)show_slots_of(control_, control_files_[node].get(), false);
  // Some rank's own few are of no use.
  const std::size_t files = control_.header().layout.files(control_.header().ranks);
  if (segments.size() == files * control_files_.size()) segments_ = segments;
}

ObservedJob::ObservedJob(ObservedJob&& other) noexcept
    : holder_(other.holder_),
      control_files_(std::move(other.control_files_)),
      segments_(std::move(other.segments_)),
      control_(std::exchange(other.control_, {})),
      mapped_bytes_(other.mapped_bytes_) {}

ObservedJob::~ObservedJob() {
  if (control_.start != nullptr) munmap(control_.start, mapped_bytes_);
}

space::Control ObservedJob::writable() const {
  const std::string path = "/proc/self/fd/" + std::to_string(control_files_.front().get());
  const base::FileDescriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC));
  return space::map_control(file.get());
}

bool ObservedJob::is_running() const {
  const Files files = job_files(holder_);
  return !files.controls.empty() &&
         is_of_launcher(open_for_reading(holder_, files.controls.front()), holder_);
}

bool ObservedJob::has_process(int pid) const {
  if (pid == holder_) return true;
  for (int rank = 0; rank < static_cast<int>(control_.header().ranks); ++rank)
    if (control_.slot(rank).pid.load() == pid) return true;
  return false;
}

std::string ObservedJob::program() const {
  int pid = 0;  // of a rank that is here
  for (int rank = 0; rank < static_cast<int>(control_.header().ranks) && pid == 0; ++rank)
    pid = control_.slot(rank).pid.load();
  std::ifstream file("/proc/" + std::to_string(pid) + "/cmdline");
  std::string word;
  std::getline(file, word, '\0');
  return word;
}

Snapshot ObservedJob::observe() const {
  constexpr timespec moment{0, 30'000'000};
  make_room_for_files(segments_.size(),
                      fmt::format("looking at a job of {} ranks", control_.header().ranks));
  std::vector<base::FileDescriptor> segments;
  SegmentFiles files;
  for (const int segment : segments_)
    files.fds.push_back(segments.emplace_back(open_for_reading(holder_, segment)).get());
  for (const auto& control : control_files_) files.controls.push_back(control.get());
  const auto earlier = command::observe(control_, files);
  nanosleep(&moment, nullptr);
  auto now = command::observe(control_, files);
  mark_moving(now, earlier);
  return now;
}

std::pair<base::FileDescriptor, const wait::TraceFile*> ObservedJob::open_trace() const {
  for (const int fd : numbers_in("/proc/" + std::to_string(holder_) + "/fd")) {
    const std::string name = memory_file_name(holder_, fd);
    for (const wait::TraceFile* const kind : {&wait::whole_trace, &wait::kept_trace})
      if (name == kind->name) return {open_for_reading(holder_, fd), kind};
  }
  return {base::FileDescriptor(), &wait::kept_trace};
}

std::vector<ObservedJob> running_jobs() {
  std::vector<ObservedJob> jobs;
  for (int pid : numbers_in("/proc")) {
    const Files files = job_files(pid);
    if (files.controls.empty()) continue;
    make_room_for_files(files.controls.size(), "looking at all running jobs");
    std::vector<base::FileDescriptor> controls;
    for (int fd : files.controls) controls.push_back(open_for_reading(pid, fd));
    if (!is_of_launcher(controls.front(), pid)) continue;
    try {
      jobs.emplace_back(pid, std::move(controls), files.segments);
    } catch (const Error&) {
      continue;  // of another build, or not complete yet
    }
  }
  return jobs;
}

bool is_job_of_another_version(int pid) {
  const Files files = job_files(pid);
  if (files.controls.empty()) return false;
  const base::FileDescriptor control = open_for_reading(pid, files.controls.front());
  space::ControlHeader header;
  return control && space::read_header(control.get(), header) &&
         header.version != space::control_version;
}

}  // namespace armature::command
