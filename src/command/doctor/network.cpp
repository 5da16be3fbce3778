// Ranks of several nodes would speak over a network: which devices there are, which one is taken
// and why, how long transfers travel, and what limits them. The engine is opened as a job opens it,
// and two of them in this process are timed against each other.
#include <dlfcn.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "armature/error.hpp"
#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "command/doctor/checks.hpp"
#include "engines/load.hpp"
#include "net/server_way.hpp"
#include "topology/cores.hpp"
#include "topology/interfaces.hpp"
#include "transport/limits.hpp"
#include "transport/links.hpp"

namespace armature::command {
namespace {

using transport::Engine;
using transport::EngineOptions;

std::string setting(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

EngineOptions wanted_engine() {
  EngineOptions options;
  options.device = topology::find_interface(setting("ARMATURE_NET_DEVICE"), topology::interfaces());
  options.device_alone = !setting("ARMATURE_NET_DEVICE").empty();
  options.interfaces = setting("ARMATURE_NET_TRANSPORTS");
  options.segment = std::strtoull(setting("ARMATURE_NET_SEGMENT").c_str(), nullptr, 10);
  options.one_sided = transport::Limits::get().one_sided;
  return options;
}

/// One end of a connection of this process with itself.
class End final : public transport::Sink {
 public:
  explicit End(const EngineOptions& options) : engine_(transport::load_engine(*this, options)) {}

  void received(std::span<const std::byte>, std::span<const std::byte>) override { ++came_; }
  void sent(std::uint64_t) override { --lent_; }
  void lost(int, const char* why) override { lost_ = why; }

  void connect(const End& other) {
    if (const char* problem = engine_->connect(0, other.engine_->address())) lost_ = problem;
  }
  void send(std::span<const std::byte> bytes) {
    if (!engine_->send(0, {}, bytes, 0)) ++lent_;
  }
  void progress() { (void)engine_->progress(); }
  [[nodiscard]] const char* description() const { return engine_->description(); }
  [[nodiscard]] bool is_one_sided() const { return engine_->is_one_sided(); }
  [[nodiscard]] bool has_words() const { return engine_->has_words(); }
  [[nodiscard]] bool has_atomics() const { return engine_->has_atomics(); }
  [[nodiscard]] std::vector<transport::Transport> transports() const {
    return engine_->transports(0);
  }
  [[nodiscard]] int came() const { return came_; }
  [[nodiscard]] int lent() const { return lent_; }
  [[nodiscard]] const std::string& lost() const { return lost_; }

 private:
  int came_ = 0, lent_ = 0;
  std::string lost_;
  std::unique_ptr<Engine> engine_;
};

constexpr std::uint64_t patience_ns = 2'000'000'000;

/// Nanoseconds until `to` has so many packets more, all of them sent by `from`; 0 when they do not
/// come.
std::uint64_t time_ns(End& from, End& to, int packets, std::span<const std::byte> bytes) {
  if (!from.lost().empty() || !to.lost().empty()) return 0;
  const int expected = to.came() + packets;
  const std::uint64_t begun_ns = base::now_ns();
  for (int i = 0; i < packets; ++i) from.send(bytes);
  while (to.came() < expected || from.lent() > 0) {
    from.progress();
    to.progress();
    if (!from.lost().empty() || base::now_ns() - begun_ns > patience_ns) return 0;
  }
  return base::now_ns() - begun_ns;
}

/// Whether 8-byte gets and atomics are the engine's, and why.
std::string role_of_words(const End& end) {
  using Words = transport::Limits::Words;
  const Words words = transport::Limits::get().words;
  const bool forced = transport::Limits::get().forced != transport::Limits::Forced::none;
  const std::string who = forced ? "ARMATURE_NET_PROTOCOL says so" : "ARMATURE_NET_WORDS says so";
  if (words == Words::records) return "not used: " + who;
  if (!end.has_words()) return "not used: the engine does not promise that words stay whole";
  return std::string(words == Words::engine ? "used: " + who
                                            : "used where a probe finds them faster than records") +
         (end.has_atomics() ? ""
                            : "; but atomics are records: the engine's are none for processors");
}

/// Notes what is in force, and why.
void note_one_sided(Findings& findings, const End& end) {
  using transport::Limits;
  using OneSided = EngineOptions::OneSided;
  const Limits& protocol = Limits::get();
  const bool used = end.is_one_sided();
  std::string found = "not used: no transport of the network's hardware does them here";
  if (used)
    found = fmt::format("used for transfers from {} on, of which each row or piece has {}",
                        base::readable_bytes(protocol.one_sided_min()),
                        base::readable_bytes(protocol.one_sided_run_min()));
  const bool forced = protocol.forced != Limits::Forced::none;
  const std::string who =
      forced ? "ARMATURE_NET_PROTOCOL says so" : "ARMATURE_NET_ONE_SIDED says so";
  if (protocol.one_sided == OneSided::on) found += "; " + who;
  if (protocol.one_sided == OneSided::off) found = "not used: " + who;
  findings.push_back({"one-sided operations of the engine", Health::note, found, ""});
  if (used) findings.push_back({"words by the engine", Health::note, role_of_words(end), ""});
}

/// Notes each transport that the engine has found on this machine: which it has chosen, and why.
void note_transports(Findings& findings, const End& end) {
  for (const transport::Transport& one : end.transports())
    findings.push_back({"transport " + one.name, Health::note, one.why, ""});
}

bool is_engine_misnamed() {
  try {
    (void)transport::engine_wanted();
    return false;
  } catch (const Error&) {
    return true;
  }
}

/// Returns advice for a machine where no engine opens.
std::string remedy_for_engine() {
  if (is_engine_misnamed()) return "set ARMATURE_NET_ENGINE to ucx or ofi, or unset it";
  const auto is_loaded = [](const char* library) {
    return dlopen(library, RTLD_LAZY | RTLD_NOLOAD) != nullptr;
  };
  if (!is_loaded("libucp.so.0") && !is_loaded("libfabric.so.1"))
    return "install UCX (Debian: libucx0) or libfabric (libfabric1)";
  return setting("ARMATURE_NET_DEVICE").empty()
             ? "it is there, but does not start: it needs files (ulimit -n) and memory"
             : "set ARMATURE_NET_DEVICE to an interface below, or unset it";
}

void check_engine(Findings& findings) {
  Finding engine{"engine", Health::good, "", ""};
  try {
    End a(wanted_engine()), b(wanted_engine());
    a.connect(b);
    b.connect(a);
    const std::vector<std::byte> word(8), piece(std::size_t{64} * 1024);
    constexpr int words = 100, pieces = 64;
    bool works = time_ns(a, b, 1, word) != 0 && time_ns(b, a, 1, word) != 0;
    std::uint64_t words_ns = 0;
    for (int i = 0; works && i < words; ++i) {
      const std::uint64_t one_ns = time_ns(i % 2 == 0 ? a : b, i % 2 == 0 ? b : a, 1, word);
      works = one_ns != 0;
      words_ns += one_ns;
    }
    const std::uint64_t pieces_ns = works ? time_ns(a, b, pieces, piece) : 0;
    works = works && pieces_ns != 0;
    engine.found = a.description();
    note_one_sided(findings, a);
    if (works) note_transports(findings, a);
    if (works) {
      engine.found +=
          fmt::format("; here, one thread at both ends: {:.1f} us for a word, {:.1f} GB/s",
                      static_cast<double>(words_ns) / words / 1000,
                      static_cast<double>(piece.size()) * pieces / static_cast<double>(pieces_ns));
    } else {
      engine.health = Health::bad;
      engine.found += ": it reaches not even this machine" +
                      (a.lost().empty() ? std::string() : " (" + a.lost() + ")");
      engine.remedy = "a firewall, or the wrong interface: set ARMATURE_NET_DEVICE to one below";
    }
  } catch (const Error& error) {
    engine.health = Health::bad;
    engine.found = error.what();
    engine.remedy = remedy_for_engine();
  }
  findings.push_back(engine);
}

/// Why a job would speak over it, or would not. A job compares what all its nodes have; here there
/// is one, so what is said holds if the others are like it.
std::string role_of(const topology::Interface& interface, const std::string& wanted,
                    const topology::InterfaceChoice& choice) {
  if (!wanted.empty())
    return interface.name == wanted ? "taken: ARMATURE_NET_DEVICE says so"
                                    : "not taken: ARMATURE_NET_DEVICE says otherwise";
  if (interface.loopback) return "taken by pretended nodes (armature run --nodes)";
  if (!interface.up) return "not taken";
  const std::string subnet = topology::subnet_text(interface);
  return interface.name == choice.device
             ? fmt::format("taken, if every node of a job has an address of its own in {}", subnet)
             : fmt::format("taken, if that is so in {} and not in the one that comes first",
                           subnet);
}

void check_devices(Findings& findings) {
  const topology::NodeInterfaces own = topology::own_interfaces();
  const std::string setting_text = setting("ARMATURE_NET_DEVICE");
  const std::string wanted = topology::find_interface(setting_text, own.interfaces);
  if (wanted.empty() && !setting_text.empty())
    findings.push_back({"interface", Health::bad,
                        "no address here lies in ARMATURE_NET_DEVICE=" + setting_text,
                        "set it to the name of an interface below, or to its subnet"});
  const topology::InterfaceChoice choice = topology::choose_interface(std::span(&own, 1), 0);
  for (const topology::Interface& interface : own.interfaces) {
    std::string found = topology::address_text(interface.address);
    if (interface.megabits > 0) found += fmt::format(", {} Mbit/s", interface.megabits);
    if (!interface.up) found += ", down";
    found += "; " + role_of(interface, wanted, choice);
    findings.push_back({"interface " + interface.name, Health::note, found, ""});
  }
}

/// Returns where the way of a transfer changes with its size, and who has said so.
std::string changes_of_protocol(const transport::Limits& limits) {
  using Forced = transport::Limits::Forced;
  switch (limits.forced) {
    case Forced::packet:
      return "packets for all sizes: ARMATURE_NET_PROTOCOL says so";
    case Forced::stream:
      return "streams for all that can be lent: ARMATURE_NET_PROTOCOL says so";
    case Forced::engine:
      return "the engine's operations wherever it has them: ARMATURE_NET_PROTOCOL says so";
    case Forced::none:
      break;
  }
  const std::string copied = base::readable_bytes(limits.copied_max);
  return fmt::format("packets up to {}, streams above: {}", copied,
                     setting("ARMATURE_NET_COPY_MAX").empty() ? "the default, not measured here"
                                                              : "ARMATURE_NET_COPY_MAX says so");
}

std::string ways_of_puts(const transport::Limits& limits) {
  using base::readable_bytes;
  using transport::Limits;
  const std::string packets = fmt::format("copied into packets of {}, which small ones share",
                                          readable_bytes(transport::Link::packet_bytes));
  const std::string pieces = fmt::format(
      "in pieces of {}, the first of several {}, straight from the caller's memory, "
      "{} on their way",
      readable_bytes(Limits::piece_bytes), readable_bytes(Limits::first_piece_bytes),
      Limits::pieces_under_way);
  if (limits.forced == Limits::Forced::packet) return "all " + packets;
  if (limits.copied_max == 0) return "all " + pieces;
  return fmt::format("up to {} {}; longer ones {}", readable_bytes(limits.copied_max), packets,
                     pieces);
}

std::string ways_of_gets(const transport::Limits& limits) {
  using base::readable_bytes;
  using transport::Limits;
  const std::string short_ones = fmt::format("answered in one packet up to {}; longer ones in ",
                                             readable_bytes(transport::Link::body_bytes_max));
  if (limits.forced == Limits::Forced::packet) return short_ones + "several, packed";
  const std::string place =
      limits.copied_max == 0
          ? "straight from the target's memory"
          : fmt::format("straight from the target's memory where {} lie in a row, else packed",
                        readable_bytes(std::min(limits.packed_below(), Limits::gathered_min)));
  return fmt::format("{}pieces of {}, {}, {} on their way", short_ones,
                     readable_bytes(Limits::piece_bytes), place, Limits::pieces_under_way);
}

void check_protocols(Findings& findings) {
  const transport::Limits& protocol = transport::Limits::get();
  findings.push_back({"changes of protocol", Health::note, changes_of_protocol(protocol), ""});
  findings.push_back({"put, accumulate", Health::note, ways_of_puts(protocol), ""});
  findings.push_back({"get", Health::note, ways_of_gets(protocol), ""});
  findings.push_back({"atomics, remote calls", Health::note,
                      "a record there and one back; performed by the target's process", ""});
}

/// How a process would serve others where it has one rank and is alone on its node: two threads.
void check_server(Findings& findings) {
  const int cores = topology::usable_cores();
  const net::ServerChoice choice = net::choose_server(2, cores);
  const char* const how =
      choice.way == net::ServerWay::polls ? "polls" : "sleeps until it is woken";
  findings.push_back({"server beside a process", Health::note,
                      fmt::format("{} in a job with one rank on this node: {}", how, choice.why),
                      ""});
}

void check_settings(Findings& findings) {
  std::string given;
  for (char** at = environ; *at != nullptr; ++at)
    if (std::strncmp(*at, "ARMATURE_NET_", 13) == 0 || std::strncmp(*at, "UCX_", 4) == 0 ||
        std::strncmp(*at, "FI_", 3) == 0)
      given += (given.empty() ? "" : " ") + std::string(*at);
  findings.push_back({"settings", Health::note, given.empty() ? "none" : given, ""});
}

void check_locked_memory(Findings& findings) {
  rlimit locked{};
  getrlimit(RLIMIT_MEMLOCK, &locked);
  std::error_code none;
  const std::filesystem::directory_iterator cards("/sys/class/infiniband", none);
  const bool rdma = !none && cards != std::filesystem::directory_iterator{};
  constexpr rlim_t comfortable = rlim_t{1} << 30;
  Finding finding{
      "locked memory", Health::good,
      locked.rlim_cur == RLIM_INFINITY ? "unlimited" : base::readable_bytes(locked.rlim_cur), ""};
  if (!rdma) {
    finding.health = Health::note;
    finding.found += "; there is no RDMA card, which alone needs it";
  } else if (locked.rlim_cur < comfortable) {
    finding.health = Health::weak;
    finding.remedy =
        "RDMA cards lock the memory they use: ulimit -l unlimited, memlock in "
        "/etc/security/limits.conf, LimitMEMLOCK=infinity of the service that starts jobs";
  }
  findings.push_back(finding);
}

}  // namespace

void check_network(Findings& findings) {
  check_engine(findings);
  check_devices(findings);
  check_protocols(findings);
  check_server(findings);
  check_settings(findings);
  check_locked_memory(findings);
}

}  // namespace armature::command
