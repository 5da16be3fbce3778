#include "bootstrap/descriptor_socket.hpp"

#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "bootstrap/hexadecimal.hpp"
#include "bootstrap/start_timeout.hpp"

namespace armature::bootstrap {
namespace {

using base::fail;
using Clock = std::chrono::steady_clock;

constexpr std::size_t files_at_once = 250;  // the kernel takes 253
constexpr std::size_t why_chars_max = 1000;
constexpr int client_ms_max = 10'000;  // how long a client may keep the others waiting

/// The message before the files, or in their place.
struct Answer {
  std::uint32_t files = 0;
  char why[why_chars_max] = {};
};

struct Address {
  sockaddr_un socket{};
  socklen_t bytes = 0;

  /// Abstract: the first byte of the path is zero.
  explicit Address(const std::string& name) {
    socket.sun_family = AF_UNIX;
    const std::size_t length = std::min(name.size(), sizeof socket.sun_path - 1);
    std::memcpy(socket.sun_path + 1, name.data(), length);
    bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  }
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&socket); }
};

[[noreturn]] void fail_with_errno(const char* deed) {
  fail(Errc::start,
       fmt::format("the processes of a node hand each other memory files over an abstract Unix "
                   "socket: {}: {}",
                   deed, base::system_text(errno)));
}

base::FileDescriptor new_stream_socket() {
  base::FileDescriptor made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!made) fail_with_errno("none can be made");
  return made;
}

bool wait_readable(int fd, Clock::time_point until) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) return false;
    pollfd polled{fd, POLLIN, 0};
    const int found = poll(&polled, 1, static_cast<int>(left));
    if (found > 0) return true;
    if (found < 0 && errno != EINTR) return false;
  }
}

bool send_all(int fd, const void* data, std::size_t bytes) {
  const auto* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = send(fd, from, bytes, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    from += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

bool receive_all(int fd, void* data, std::size_t bytes, Clock::time_point until) {
  auto* to = static_cast<char*>(data);
  while (bytes > 0) {
    if (!wait_readable(fd, until)) return false;
    const ssize_t n = recv(fd, to, bytes, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    to += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

/// A message of one byte, with room for the control data of as many files.
struct FileMessage {
  char byte = 1;
  iovec data{&byte, 1};
  alignas(cmsghdr) char room[CMSG_SPACE(files_at_once * sizeof(int))] = {};
  msghdr message{};

  explicit FileMessage(std::size_t files) {
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = room;
    message.msg_controllen = CMSG_SPACE(files * sizeof(int));
  }
};

bool send_files(int fd, const int* files, std::size_t count) {
  FileMessage held(count);
  cmsghdr* header = CMSG_FIRSTHDR(&held.message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(count * sizeof(int));
  std::memcpy(CMSG_DATA(header), files, count * sizeof(int));
  return sendmsg(fd, &held.message, MSG_NOSIGNAL) == 1;
}

/// Appends what one message holds.
bool receive_files(int fd, std::vector<base::FileDescriptor>& files, Clock::time_point until) {
  if (!wait_readable(fd, until)) return false;
  FileMessage held(files_at_once);
  msghdr& message = held.message;
  if (recvmsg(fd, &message, MSG_CMSG_CLOEXEC) != 1) return false;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int file = -1;
      std::memcpy(&file, CMSG_DATA(header) + i * sizeof(int), sizeof file);
      files.emplace_back(file);
    }
  }
  if ((message.msg_flags & MSG_CTRUNC) == 0) return true;
  errno = EMFILE;
  return false;
}

/// Whether the other side is of this user. One that this container cannot name is left to the
/// secret.
bool is_of_this_user(int socket) {
  constexpr uid_t unnamed = 65534;
  ucred who{};
  socklen_t bytes = sizeof who;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &bytes) == 0 &&
         (who.uid == geteuid() || who.uid == unnamed);
}

/// Whether a client is of this user and shows the secret.
bool is_admitted(int client, const Secret& secret) {
  if (!is_of_this_user(client)) return false;
  Secret shown{};
  if (!receive_all(client, shown.data(), shown.size(),
                   Clock::now() + std::chrono::milliseconds(client_ms_max)))
    return false;
  unsigned different = 0;  // all bytes are looked at, so the time tells nothing
  for (std::size_t i = 0; i < shown.size(); ++i)
    different |= std::to_integer<unsigned>(shown[i] ^ secret[i]);
  return different == 0;
}

/// Calls serve(client) for `count` clients that are admitted; a false answer means that the client
/// has gone again, perhaps to come once more.
template <class Serve>
void serve_clients(int socket, int count, const Secret& secret, Serve serve) {
  const auto until = Clock::now() + start_timeout();
  for (int served = 0; served < count;) {
    if (!wait_readable(socket, until))
      fail(Errc::start, fmt::format("{} of this node's other {} processes did not come for the "
                                    "job's memory files within {} s",
                                    count - served, count, start_timeout().count() / 1000));
    const base::FileDescriptor client(accept4(socket, nullptr, nullptr, SOCK_CLOEXEC));
    if (client && is_admitted(client.get(), secret) && serve(client.get())) ++served;
  }
}

}  // namespace

DescriptorSocket::DescriptorSocket() {
  std::byte random[16];
  if (getrandom(random, sizeof random, 0) != sizeof random) fail_with_errno("none can be made");
  auto opened = open_if_free("armature-" + to_hexadecimal(random));
  if (!opened) fail_with_errno("it cannot be opened");
  *this = std::move(*opened);
}

std::optional<DescriptorSocket> DescriptorSocket::open_if_free(const std::string& name) {
  base::FileDescriptor opened = new_stream_socket();
  const Address address(name);
  if (bind(opened.get(), address.get(), address.bytes) != 0) {
    if (errno == EADDRINUSE) return std::nullopt;
    fail_with_errno("it cannot be opened");
  }
  if (listen(opened.get(), SOMAXCONN) != 0) fail_with_errno("it cannot be opened");
  return DescriptorSocket(std::move(opened), name);
}

void DescriptorSocket::give(const std::vector<int>& files, int count, const Secret& secret) const {
  serve_clients(socket_.get(), count, secret, [&](int client) {
    Answer answer;
    answer.files = static_cast<std::uint32_t>(files.size());
    bool well = send_all(client, &answer, sizeof answer);
    for (std::size_t at = 0; well && at < files.size(); at += files_at_once) {
      // One portion at a time: files on their way count against a limit.
      char taken = 0;
      well =
          send_files(client, files.data() + at, std::min(files_at_once, files.size() - at)) &&
          receive_all(client, &taken, 1, Clock::now() + std::chrono::milliseconds(client_ms_max));
    }
    return well;
  });
}

void DescriptorSocket::refuse(const std::string& why, int count, const Secret& secret) const {
  serve_clients(socket_.get(), count, secret, [&](int client) {
    Answer answer;
    why.copy(answer.why, why_chars_max - 1);
    return send_all(client, &answer, sizeof answer);
  });
}

std::vector<base::FileDescriptor> take_files(const std::string& name, const Secret& secret) {
  auto files = take_files_if_there(name, secret);
  if (!files)
    fail_with_errno("the one of the node's first process cannot be reached (has it ended?)");
  return std::move(*files);
}

std::optional<std::vector<base::FileDescriptor>> take_files_if_there(const std::string& name,
                                                                     const Secret& secret) {
  const base::FileDescriptor socket = new_stream_socket();
  const Address address(name);
  if (connect(socket.get(), address.get(), address.bytes) != 0) {
    if (errno == ECONNREFUSED) return std::nullopt;
    fail_with_errno("the other process's cannot be reached");
  }
  if (!is_of_this_user(socket.get())) {
    errno = EACCES;
    fail_with_errno("the process that has its name is of another user");
  }
  const auto until = Clock::now() + start_timeout();
  Answer answer;
  if (!send_all(socket.get(), secret.data(), secret.size()) ||
      !receive_all(socket.get(), &answer, sizeof answer, until))
    fail_with_errno("the other process does not answer");
  answer.why[why_chars_max - 1] = '\0';
  if (answer.why[0] != '\0')
    fail(Errc::start, fmt::format("the first process of this node has failed: {}", answer.why));
  std::vector<base::FileDescriptor> files;
  while (files.size() < answer.files) {
    const char taken = 1;
    if (!receive_files(socket.get(), files, until) || !send_all(socket.get(), &taken, 1))
      fail_with_errno(errno == EMFILE ? "too many open files (raise ulimit -n)"
                                      : "the other process has stopped in the middle");
  }
  return files;
}

}  // namespace armature::bootstrap
