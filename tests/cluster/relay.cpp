// relay NODE BRIDGE PORT MICROSECONDS: the cable from a node to the bridge, on which frames take
// that time. Kernels without netem have no such device. So the node's eth0 and PORT of the bridge
// are TAP devices, and this moves each frame from the one to the other when its time has come. NODE
// and BRIDGE are processes in whose network namespaces the two shall be. It says "ready" once they
// are there, works until it is killed, and takes the devices with it.
//
// Frames keep their order. When too many are under way the newest is lost, as on a link. They bring
// virtio's header: a segment of 64 KiB crosses in one piece and nobody computes checksums, as
// between the ends of a veth pair. Frame by frame of 1500 bytes, the relay would be the limit of
// whatever is tested.

#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t frame_bytes_max =
    1 << 17;  // what is read is at most a segment of 64 KiB and its headers
constexpr std::size_t queued_bytes_max = 16 << 20;  // 16 ms of 1 GB/s
constexpr int taken_max = 64;                       // at once: then look whether any are due

int checked(int result, const std::string& what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

void enter_network_of(const std::string& pid) {
  const std::string path = "/proc/" + pid + "/ns/net";
  const int space = checked(open(path.c_str(), O_RDONLY | O_CLOEXEC), path);
  checked(setns(space, CLONE_NEWNET), "entering " + path);
  close(space);
}

/// A TAP device of that name where we are; it is gone when the descriptor is.
int open_tap(const std::string& name) {
  const int tap = checked(open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC), "/dev/net/tun");
  ifreq request{};
  request.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR;
  std::strncpy(request.ifr_name, name.c_str(), IFNAMSIZ - 1);
  checked(ioctl(tap, TUNSETIFF, &request), "making " + name);
  checked(ioctl(tap, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6),
          "large segments at " + name);
  return tap;
}

/// The frames that go one way.
class Direction {
 public:
  Direction(int from, int to, std::chrono::microseconds delay)
      : from_(from), to_(to), delay_(delay) {}

  /// Takes the frames that have been sent.
  void take() {
    static std::array<char, frame_bytes_max> buffer;
    for (int i = 0; i < taken_max; ++i) {
      const ssize_t bytes = read(from_, buffer.data(), buffer.size());
      if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return;
      checked(static_cast<int>(bytes), "reading a frame");
      if (bytes_left_ < static_cast<std::size_t>(bytes)) continue;  // lost
      bytes_left_ -= static_cast<std::size_t>(bytes);
      frames_.push_back(
          {Clock::now() + delay_, std::vector<char>(buffer.data(), buffer.data() + bytes)});
    }
  }

  /// Delivers frames whose time has come. At an end that is down they are lost.
  void deliver() {
    while (!frames_.empty() && frames_.front().due <= Clock::now()) {
      const std::vector<char>& bytes = frames_.front().bytes;
      [[maybe_unused]] const ssize_t written = write(to_, bytes.data(), bytes.size());
      bytes_left_ += bytes.size();
      frames_.pop_front();
    }
  }

  /// The time at which the next one arrives; if none is under way, never.
  Clock::time_point due() const {
    return frames_.empty() ? Clock::time_point::max() : frames_.front().due;
  }

 private:
  struct Frame {
    Clock::time_point due;
    std::vector<char> bytes;
  };

  int from_, to_;
  std::chrono::microseconds delay_;
  std::deque<Frame> frames_;
  std::size_t bytes_left_ = queued_bytes_max;
};

std::optional<timespec> time_until(Clock::time_point due) {
  if (due == Clock::time_point::max()) return {};
  const auto left = std::max(due - Clock::now(), Clock::duration::zero());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
  return timespec{seconds.count(), std::chrono::nanoseconds(left - seconds).count()};
}

[[noreturn]] void relay(int node, int bridge, std::chrono::microseconds delay) {
  Direction out(node, bridge, delay), in(bridge, node, delay);
  std::array<pollfd, 2> ends{{{node, POLLIN, 0}, {bridge, POLLIN, 0}}};
  for (;;) {
    const auto wait = time_until(std::min(out.due(), in.due()));
    if (ppoll(ends.data(), ends.size(), wait ? &*wait : nullptr, nullptr) < 0 && errno != EINTR)
      checked(-1, "ppoll");
    out.take(), in.take();
    out.deliver(), in.deliver();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "relay NODE BRIDGE PORT MICROSECONDS\n");
    return 2;
  }
  try {
    prctl(PR_SET_TIMERSLACK, 1000);  // of 50 us that would be too late
    enter_network_of(argv[1]);
    const int node = open_tap("eth0");
    enter_network_of(argv[2]);
    const int bridge = open_tap(argv[3]);
    std::puts("ready");
    std::fflush(stdout);
    relay(node, bridge, std::chrono::microseconds(std::atoi(argv[4])));
  } catch (const std::exception& error) {
    std::printf("relay: %s\n", error.what());
    return 1;
  }
}
