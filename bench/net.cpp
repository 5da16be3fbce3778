// Operations between two nodes beside a plain socket between the same two processes, and the
// engine's own operations beside it. Operation and limit take turns: rank 1 answers on the socket
// while it is the socket's turn, and waits in the library, or in the engine, while it is not.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <armature/armature.hpp>

#include "bench/native.hpp"
#include "bench/rows.hpp"
#include "bench/sample.hpp"
#include "bench/wire.hpp"

namespace armature::bench {

namespace {

constexpr std::size_t mebi = std::size_t{1} << 20;

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
        buffer_(2 * mebi * sizeof(double)) {
    if (wanted(settings_.only, "ucx.put") || wanted(settings_.only, "ucx.get") ||
        wanted(settings_.only, "ucx.am"))
      open_native();
  }

  void all() {
    if (world_.rank() == 0) {
      short_rows();
      many_rows();
      long_rows();
      patch_rows();
      if (native_ != nullptr) native_rows();
      wire_turn({Turn::end, 0, 0});
    } else if (world_.rank() == 1) {
      serve();
    }
    world_.barrier();
    world_.free(heap_);
  }

 private:
  [[nodiscard]] global_ptr<double> remote() const { return heap_.on(1); }
  [[nodiscard]] global_ptr<std::int64_t> word() const {
    return remote().cast<void>().cast<std::int64_t>();
  }

  void wire_turn(Turn turn) { wire_.give(&turn, sizeof turn); }

  /// Opens it at both ranks, or at none.
  void open_native() {
    std::string problem;
    native_ = bench::open_native(std::as_writable_bytes(heap_.local()), problem);
    if (allreduce(world_, native_ != nullptr ? 0 : 1) != 0) {
      native_.reset();
      if (!problem.empty())
        std::fprintf(stderr, "armature bench: no rows of UCX by itself: %s\n", problem.c_str());
      return;
    }
    const auto mine = native_->address();
    const std::size_t bytes = mine.size();
    wire_.give(&bytes, sizeof bytes);
    wire_.give(mine.data(), bytes);
    std::size_t others_bytes = 0;
    wire_.take(&others_bytes, sizeof others_bytes);
    std::vector<std::byte> other(others_bytes);
    wire_.take(other.data(), others_bytes);
    if (const char* wrong = native_->connect(other)) abort(1, wrong);
  }

  /// Rank 1.
  void serve() {
    for (;;) {
      Turn turn{};
      wire_.take(&turn, sizeof turn);
      if (turn.kind == Turn::end) return;
      if (turn.kind == Turn::library) wait_notify(0);
      if (turn.kind == Turn::native) native_->answer();
      if (turn.kind != Turn::echo) continue;
      wire_.take(buffer_.data(), turn.there);
      wire_.give(buffer_.data(), turn.back);
    }
  }

  /// Tells rank 1 who answers rank 0 while it is not the socket's turn.
  void enter(Turn::Kind where) { wire_turn({where, 0, 0}); }
  void leave(Turn::Kind where) {
    if (where == Turn::library)
      notify(1);
    else
      native_->release();
  }

  template <class Op>
  void row(const std::string& name, std::size_t bytes, std::uint64_t there, std::uint64_t back,
           Op op, Turn::Kind where = Turn::library) {
    if (!wanted(settings_.only, name)) return;
    auto limit = [&] {
      wire_turn({Turn::echo, there, back});
      wire_.give(buffer_.data(), there);
      wire_.take(buffer_.data(), back);
    };
    bool inside = false;
    const auto before = [&](bool is_op) {
      if (is_op == std::exchange(inside, is_op)) return;
      is_op ? enter(where) : leave(where);
    };
    const Timing timing = measure(settings_.effort, op, limit, before);
    before(false);
    settings_.report({.op = name, .bytes = bytes, .ns = timing.ns, .limit_ns = timing.limit_ns});
  }

  /// Measures it beside another operation of the library.
  template <class Op, class Other>
  void row_beside(const std::string& name, std::size_t bytes, Op op, Other other) {
    if (!wanted(settings_.only, name)) return;
    enter(Turn::library);
    const Timing timing = measure(settings_.effort, op, other, [](bool) {});
    leave(Turn::library);
    settings_.report({.op = name, .bytes = bytes, .ns = timing.ns, .limit_ns = timing.limit_ns});
  }

  void short_rows() {
    row("net.put", 8, 8, 8, [&] {
      put(remote(), 1.0);
      fence(1);
    });
    row("net.get", 8, 8, 8, [&] { keep(get(remote())); });
    row("net.fadd", 8, 8, 8, [&] { keep(fetch_add(word() + 8, 1)); });
    row("net.acc", 8, 8, 8, [&] {
      accumulate(remote() + 2, 1.0);
      fence(1);
    });
    row("net.rpc", 0, 8, 8, [&] { keep(counted_.sync(1, &Counted::nothing)); });
  }

  /// One of many at once; there is no limit.
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

  void many_rows() {
    constexpr std::size_t many = 1000;
    per_call("net.rpc.oneway", many, [&] {
      for (std::size_t i = 0; i < many; ++i) counted_.async(1, &Counted::add, 1);
      keep(counted_.sync(1, &Counted::nothing));
    });
    per_call("net.nbput1000", many, [&] {
      for (std::size_t i = 0; i < many; ++i)
        put_nbi(remote() + static_cast<std::ptrdiff_t>(i), 1.0);
      fence(1);
    });
    per_call("net.nbget1000", many, [&] {
      for (std::size_t i = 0; i < many; ++i)
        get_nbi(local_.data() + i, remote() + static_cast<std::ptrdiff_t>(i));
      wait_all();
    });
  }

  void long_rows() {
    constexpr std::size_t count = 512;
    row("net.acc", count * sizeof(double), count * sizeof(double), 8, [&] {
      accumulate(remote(), local_.data(), count);
      fence(1);
    });
    row("net.put", mebi, mebi, 8, [&] {
      put(remote(), local_.data(), mebi / sizeof(double));
      fence(1);
    });
    row("net.get", mebi, 8, mebi, [&] { get(local_.data(), remote(), mebi / sizeof(double)); });
  }

  void patch_rows() {
    for (const std::size_t n : {64UL, 512UL}) {
      const SquarePatch patch{n};
      row_beside(
          "net.put2d", patch.bytes(),
          [&] {
            patch.put(remote(), local_.data());
            fence(1);
          },
          [&] {
            put(remote(), local_.data(), n * n);
            fence(1);
          });
      row_beside(
          "net.get2d", patch.bytes(), [&] { patch.get(local_.data(), remote()); },
          [&] { get(local_.data(), remote(), n * n); });
    }
  }

  void native_rows() {
    row(
        "ucx.put", 8, 8, 8, [&] { native_->put(0, local_.data(), 8); }, Turn::native);
    row(
        "ucx.get", 8, 8, 8, [&] { native_->get(local_.data(), 0, 8); }, Turn::native);
    row(
        "ucx.am", 8, 8, 8, [&] { native_->question(); }, Turn::native);
    row(
        "ucx.put", mebi, mebi, 8, [&] { native_->put(0, local_.data(), mebi); }, Turn::native);
    row(
        "ucx.get", mebi, 8, mebi, [&] { native_->get(local_.data(), 0, mebi); }, Turn::native);
  }

  World& world_;
  Settings settings_;
  Wire wire_;
  Piece<double> heap_;
  shared<Counted> counted_;
  std::vector<double> local_;
  std::vector<std::byte> buffer_;
  std::unique_ptr<Native> native_;
};

}  // namespace

void net_rows(World& world, const Settings& settings) {
  Rows(world, settings).all();
  net_computing_rows(world, settings);
  net_overlap_rows(world, settings);
  net_crowded_rows(world, settings);
  Stage stage(world, settings);
  long_collective_rows(stage, "net.", "");
}

}  // namespace armature::bench
