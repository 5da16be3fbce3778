// Operations between two nodes beside a plain socket between the same two processes: what the
// kernel takes to carry a word there and back, or a stream. Operation and limit take turns: rank 1
// answers on the socket while it is the socket's turn, and waits in the library while it is not.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <armature/armature.hpp>

#include "base/file_descriptor.hpp"
#include "bench/rows.hpp"
#include "bench/sample.hpp"

namespace armature::tools::bench {

namespace {

constexpr std::size_t mebi = std::size_t{1} << 20;

void check(bool ok, const char* call) {
  if (!ok) throw std::system_error(errno, std::generic_category(), call);
}

/// A connection between ranks 0 and 1 over loopback.
class Wire {
 public:
  explicit Wire(World& world) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    base::FileDescriptor end(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    check(static_cast<bool>(end), "socket");
    if (world.rank() == 1) {
      check(bind(end.get(), generic, length) == 0 && listen(end.get(), 1) == 0, "listen");
      check(getsockname(end.get(), generic, &length) == 0, "getsockname");
    }
    address.sin_port = world.broadcast(address.sin_port, 1);
    if (world.rank() == 0) {
      check(connect(end.get(), generic, length) == 0, "connect");
      socket_ = std::move(end);
    } else if (world.rank() == 1) {
      socket_ = base::FileDescriptor(accept4(end.get(), nullptr, nullptr, SOCK_CLOEXEC));
      check(static_cast<bool>(socket_), "accept");
    }
    const int on = 1;
    if (socket_) setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }

  void give(const void* from, std::size_t bytes) const {
    const auto* at = static_cast<const char*>(from);
    while (bytes > 0) {
      const ssize_t n = ::send(socket_.get(), at, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
      check(n >= 0 || errno == EAGAIN, "send");
      if (n <= 0) continue;
      at += n;
      bytes -= static_cast<std::size_t>(n);
    }
  }
  void take(void* to, std::size_t bytes) const {
    auto* at = static_cast<char*>(to);
    while (bytes > 0) {
      const ssize_t n = ::recv(socket_.get(), at, bytes, MSG_DONTWAIT);
      check(n > 0 || (n < 0 && errno == EAGAIN), "recv");
      if (n <= 0) continue;
      at += n;
      bytes -= static_cast<std::size_t>(n);
    }
  }

 private:
  base::FileDescriptor socket_;
};

/// What rank 0 asks rank 1 for on the socket: so many bytes there and so many back; `library`: wait
/// in the library from now on; `end`.
struct Turn {
  enum Kind : std::uint64_t { echo, library, end } kind;
  std::uint64_t there, back;
};

struct Counted {
  std::int64_t sum = 0;
  void add(std::int64_t value) { sum += value; }
  [[nodiscard]] std::int64_t nothing() const { return 0; }
};

class Rows {
 public:
  Rows(World& world, Settings settings)
      : world_(world),
        settings_(std::move(settings)),
        wire_(world),
        heap_(world.allocate<double>(2 * mebi)),
        counted_(world),
        local_(2 * mebi),
        buffer_(2 * mebi) {}

  void all() {
    if (world_.rank() == 0) {
      short_rows();
      long_rows();
      wire_turn({Turn::end, 0, 0});
    } else if (world_.rank() == 1) {
      serve();
    }
    world_.barrier();
    busy_row("net.put.busy", [&] {
      put(remote(), 1.0);
      fence(1);
    });
    busy_row("net.get.busy", [&] { keep(get(remote())); });
    busy_row("net.acc.busy", [&] {
      accumulate(remote() + 2, 1.0);
      fence(1);
    });
    busy_row("net.fetch_add.busy", [&] { keep(fetch_add(word() + 8, 1)); });
    world_.free(heap_);
  }

 private:
  [[nodiscard]] global_ptr<double> remote() const { return heap_.on(1); }
  [[nodiscard]] global_ptr<std::int64_t> word() const {
    return remote().cast<void>().cast<std::int64_t>();
  }

  void wire_turn(Turn turn) { wire_.give(&turn, sizeof turn); }

  /// Rank 1.
  void serve() {
    for (;;) {
      Turn turn{};
      wire_.take(&turn, sizeof turn);
      if (turn.kind == Turn::end) return;
      if (turn.kind == Turn::library) {
        wait_notify(0);
        continue;
      }
      wire_.take(buffer_.data(), turn.there);
      wire_.give(buffer_.data(), turn.back);
    }
  }

  template <class Op>
  void row(const std::string& name, std::size_t bytes, std::uint64_t there, std::uint64_t back,
           Op op) {
    if (!wanted(settings_.only, name)) return;
    auto limit = [&] {
      wire_turn({Turn::echo, there, back});
      wire_.give(buffer_.data(), there);
      wire_.take(buffer_.data(), back);
    };
    bool in_library = false;
    const auto before = [&](bool is_op) {
      if (is_op == in_library) return;
      in_library = is_op;
      if (is_op)
        wire_turn({Turn::library, 0, 0});
      else
        notify(1);
    };
    const Timing timing = measure(settings_.effort, op, limit, before);
    before(false);
    settings_.report({.op = name, .bytes = bytes, .ns = timing.ns, .limit_ns = timing.limit_ns});
  }

  void short_rows() {
    row("net.put", 8, 8, 8, [&] {
      put(remote(), 1.0);
      fence(1);
    });
    row("net.get", 8, 8, 8, [&] { keep(get(remote())); });
    row("net.fetch_add", 8, 8, 8, [&] { keep(fetch_add(word() + 8, 1)); });
    row("net.acc", 8, 8, 8, [&] {
      accumulate(remote() + 2, 1.0);
      fence(1);
    });
    row("net.rpc", 0, 8, 8, [&] { keep(counted_.sync(1, &Counted::nothing)); });
    constexpr std::size_t many = 1000;
    per_call("net.rpc.oneway", many, [&] {
      for (std::size_t i = 0; i < many; ++i) counted_.async(1, &Counted::add, 1);
      keep(counted_.sync(1, &Counted::nothing));
    });
    per_call("net.put.nbi", many, [&] {
      for (std::size_t i = 0; i < many; ++i)
        put_nbi(remote() + static_cast<std::ptrdiff_t>(i), 1.0);
      fence(1);
    });
  }

  /// One of many at once; the limit is a word there and back, for all of them.
  template <class Op>
  void per_call(const std::string& name, std::size_t many, Op op) {
    const auto report = settings_.report;
    settings_.report = [&](Row row) {
      row.ns /= static_cast<double>(many);
      row.limit_ns = {};
      report(row);
    };
    row(name, 8, 8, 8, op);
    settings_.report = report;
  }

  void long_rows() {
    row("net.put", mebi, mebi, 8, [&] {
      put(remote(), local_.data(), mebi / sizeof(double));
      fence(1);
    });
    row("net.get", mebi, 8, mebi, [&] { get(local_.data(), remote(), mebi / sizeof(double)); });
    for (const std::size_t n : {64, 512}) {
      const std::size_t bytes = n * n * sizeof(double);
      row("net.get", bytes, 8, bytes, [&] { get(local_.data(), remote(), n * n); });
      const auto width = static_cast<std::ptrdiff_t>(SquarePatch::matrix_width * sizeof(double));
      row("net.get.patch", bytes, 8, bytes, [&] {
        get_patch(local_.data(), remote(),
                  {.row_bytes = n * sizeof(double),
                   .rows = n,
                   .to_stride = static_cast<std::ptrdiff_t>(n * sizeof(double)),
                   .from_stride = width});
      });
    }
  }

  /// While rank 1 computes and never calls the library.
  template <class Op>
  void busy_row(const std::string& name, Op op) {
    if (!wanted(settings_.only, name)) return;
    constexpr std::ptrdiff_t stop = 1024;
    if (world_.rank() == 1) heap_[stop] = 0;
    world_.barrier();
    if (world_.rank() == 1) {
      volatile double* const told = &heap_[stop];
      volatile double work = 0;
      const double patience = now_ns() + 2e10;
      while (*told == 0 && now_ns() < patience)
        for (int i = 0; i < 10000; ++i) work = work + 1;
    } else if (world_.rank() == 0) {
      std::vector<double> ns;
      const double end = now_ns() + settings_.effort.budget_ns;
      while (ns.size() < 5 || (now_ns() < end && ns.size() < 2000)) ns.push_back(time_of(op, 1));
      put(remote() + stop, 1.0);
      settings_.report({.op = name, .bytes = 8, .ns = median(std::move(ns)), .limit_ns = {}});
    }
    world_.barrier();
  }

  World& world_;
  Settings settings_;
  Wire wire_;
  Piece<double> heap_;
  shared<Counted> counted_;
  std::vector<double> local_;
  std::vector<std::byte> buffer_;
};

}  // namespace

void net_rows(World& world, const Settings& settings) { Rows(world, settings).all(); }

}  // namespace armature::tools::bench
