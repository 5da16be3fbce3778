#include "bootstrap/read_for_node.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <span>

#include <fmt/format.h>

#include "base/checksum.hpp"
#include "base/fail.hpp"
#include "base/write_all.hpp"
#include "bootstrap/descriptor_socket.hpp"
#include "bootstrap/node_identity.hpp"
#include "bootstrap/start_timeout.hpp"

namespace armature::bootstrap {
namespace {

/// Tells strangers 64 bits, and so next to nothing, of a secret of 256. They do not know that of
/// another key by it.
std::string meeting_place(std::string_view key, const Secret& secret) {
  std::string all = fmt::format("{}\n{}\n", key, node_identity());
  all.append(reinterpret_cast<const char*>(secret.data()), secret.size());
  return fmt::format("armature-{:016x}", base::checksum(all.data(), all.size()));
}

Values read_all(Exchange& exchange, std::string_view key) {
  Values values;
  for (int process = 0; process < exchange.processes(); ++process)
    values.push_back(exchange.get(process, key));
  return values;
}

/// Writes each value behind the number of its bytes.
base::FileDescriptor file_of(const Values& values) {
  std::vector<std::byte> packed;
  for (const auto& value : values) {
    const std::uint64_t bytes = value.size();
    const auto head = std::as_bytes(std::span(&bytes, 1));
    packed.insert(packed.end(), head.begin(), head.end());
    packed.insert(packed.end(), value.begin(), value.end());
  }
  base::FileDescriptor file(memfd_create("armature-values", MFD_CLOEXEC));
  if (!file || !base::write_all(file.get(), packed.data(), packed.size()))
    base::fail(Errc::start, fmt::format("no memory file for what the job's processes say: {}",
                                        base::system_text(errno)));
  return file;
}

Values values_in(const std::vector<base::FileDescriptor>& files, int processes) {
  struct stat status {};
  std::vector<std::byte> packed;
  if (files.size() == 1 && fstat(files.front().get(), &status) == 0)
    packed.resize(static_cast<std::size_t>(status.st_size));
  std::span<const std::byte> left;
  if (!packed.empty() && pread(files.front().get(), packed.data(), packed.size(), 0) ==
                             static_cast<ssize_t>(packed.size()))
    left = packed;
  Values values;
  for (std::uint64_t bytes = 0; left.size() >= sizeof bytes; left = left.subspan(bytes)) {
    std::memcpy(&bytes, left.data(), sizeof bytes);
    left = left.subspan(sizeof bytes);
    if (bytes > left.size()) break;
    values.emplace_back(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(bytes));
  }
  if (values.size() != static_cast<std::size_t>(processes))
    base::fail(Errc::start, fmt::format("of {} processes, the one that reads for this node has "
                                        "given what {} have said",
                                        processes, values.size()));
  return values;
}

}  // namespace

Values read_for_node(Exchange& exchange, std::string_view key, const Secret& secret,
                     const std::function<int(const Values&)>& others) {
  const std::string place = meeting_place(key, secret);
  const auto until = std::chrono::steady_clock::now() + start_timeout();
  while (std::chrono::steady_clock::now() < until) {
    if (const auto socket = DescriptorSocket::open_if_free(place)) {
      Values values = read_all(exchange, key);
      if (const int count = others(values); count > 0)
        socket->give({file_of(values).get()}, count, secret);
      return values;
    }
    if (const auto files = take_files_if_there(place, secret))
      return values_in(*files, exchange.processes());
    // The process that has the name does not listen yet, or has just ended.
    const timespec interval{0, 1'000'000};
    nanosleep(&interval, nullptr);
  }
  base::fail(Errc::start, "the process that reads for this node is not there");
}

}  // namespace armature::bootstrap
