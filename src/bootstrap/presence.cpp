#include "bootstrap/presence.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/checksum.hpp"

namespace armature::bootstrap {
namespace {

/// Calls bind or connect with a socket's address: abstract, the first byte of its path is zero.
template <class Call>
bool by_name(Call call, int fd, const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t length = std::min(name.size(), sizeof address.sun_path - 1);
  std::memcpy(address.sun_path + 1, name.data(), length);
  return call(fd, reinterpret_cast<const sockaddr*>(&address),
              static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length)) == 0;
}

base::FileDescriptor new_socket() {
  return base::FileDescriptor(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

/// "process 1 has", "processes 1, 2 and 5 have", "processes 1, 2, 5 and 12 more have".
std::string subject(const std::vector<int>& processes) {
  constexpr std::size_t named_max = 8;
  const std::size_t all = processes.size(), named = all <= named_max ? all - 1 : named_max;
  if (all == 1) return fmt::format("process {} has", processes.front());
  std::string text = "processes ";
  for (std::size_t i = 0; i < named; ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", processes[i]);
  return text + (all <= named_max ? fmt::format(" and {} have", processes.back())
                                  : fmt::format(" and {} more have", all - named));
}

}  // namespace

Presence::Presence(const std::string& job, int process, int processes, std::vector<int> here)
    : name_(
          fmt::format("armature-{}-{:016x}-", getuid(), base::checksum(job.data(), job.size(), 0))),
      process_(process),
      processes_(processes),
      here_(std::move(here)),
      mine_(new_socket()) {
  (void)by_name(::bind, mine_.get(), name_ + std::to_string(process));
}

bool Presence::has_come(int process) const {
  const base::FileDescriptor asking = new_socket();
  return process == process_ || by_name(::connect, asking.get(), name_ + std::to_string(process));
}

bool Presence::is_first() const {
  return std::none_of(here_.begin(), here_.end(),
                      [this](int process) { return process < process_ && has_come(process); });
}

std::string Presence::whom_it_waits_for() const {
  if (all_have_come_) return {};
  std::vector<int> missing;
  for (const int process : here_)
    if (!has_come(process)) missing.push_back(process);
  if (!missing.empty()) return subject(missing) + " not called armature::run";
  if (here_.empty() || here_.size() >= static_cast<std::size_t>(processes_)) return {};
  return "processes on other nodes have not called armature::run";
}

}  // namespace armature::bootstrap
