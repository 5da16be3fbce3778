#include "engines/hook/hook.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/fail.hpp"

namespace armature::transport {
namespace {

[[noreturn]] void refuse_word(const std::string& word) {
  base::fail(Errc::start,
             fmt::format("ARMATURE_NET_HOOK: '{}' is none of count, trace=FILE, delay=US, "
                         "reorder=SEED, lose=PEER@PACKETS, refuse=PEER, forge=SEED, card=SEED, "
                         "rough-card=SEED, prompt-card=SEED",
                         word));
}

template <class Number>
Number number_in(std::string_view text, const std::string& word) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0) refuse_word(word);
  return number;
}

void take_word(HookOptions& options, const std::string& word) {
  const std::size_t equals = word.find('=');
  const std::string name = word.substr(0, equals);
  const std::string_view value =
      equals == std::string::npos ? std::string_view() : std::string_view(word).substr(equals + 1);
  if (word == "count") {
    options.count = true;
  } else if (name == "trace" && !value.empty()) {
    options.trace = value;
  } else if (name == "delay") {
    options.delay_us = number_in<std::uint64_t>(value, word);
  } else if (name == "reorder") {
    options.reorder = number_in<std::uint64_t>(value, word);
  } else if (name == "refuse") {
    options.refuse = number_in<int>(value, word);
  } else if (name == "forge") {
    options.forge = number_in<std::uint64_t>(value, word);
  } else if (name == "card" || name == "rough-card" || name == "prompt-card") {
    options.card = {.seed = number_in<std::uint64_t>(value, word),
                    .is_rough = name == "rough-card",
                    .is_prompt = name == "prompt-card"};
  } else if (const std::size_t at = value.find('@'); name == "lose" && at != value.npos) {
    options.lose = number_in<int>(value.substr(0, at), word);
    options.lose_after = number_in<std::uint64_t>(value.substr(at + 1), word);
  } else {
    refuse_word(word);
  }
}

}  // namespace

HookOptions HookOptions::parse(const std::string& text) {
  HookOptions options;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) take_word(options, word);
  options.card.counts = options.count;
  return options;
}

DelayedPackets::DelayedPackets(const HookOptions& options)
    : delay_ns_(options.delay_us * 1000),
      reorders_(options.reorder != 0),
      random_(options.reorder) {}

void DelayedPackets::watch_clock(int inner) {
  inner_ = inner;
  timer_ = base::FileDescriptor(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  either_ = base::FileDescriptor(epoll_create1(EPOLL_CLOEXEC));
  epoll_event readable{.events = EPOLLIN, .data = {}};
  if (!timer_ || !either_ || epoll_ctl(either_.get(), EPOLL_CTL_ADD, timer_.get(), &readable) != 0)
    base::fail(Errc::start, "ARMATURE_NET_HOOK: " + base::system_text(errno));
  if (inner >= 0 && epoll_ctl(either_.get(), EPOLL_CTL_ADD, inner, &readable) != 0)
    base::fail(Errc::start, "ARMATURE_NET_HOOK: " + base::system_text(errno));
}

/// For the first that is due: whoever sleeps may have begun before it was sent.
void DelayedPackets::set_timer() {
  constexpr std::uint64_t second_ns = 1'000'000'000;
  const std::uint64_t due = held_.empty() ? 0 : held_.begin()->first;  // 0: never
  const itimerspec at{{},
                      {static_cast<time_t>(due / second_ns), static_cast<long>(due % second_ns)}};
  timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &at, nullptr);
}

/// When a packet that is sent now shall be.
std::uint64_t DelayedPackets::due_ns() {
  return base::now_ns() + delay_ns_ + (reorders_ ? random_.below(delay_ns_) : 0);
}

void DelayedPackets::add(const Packet& packet) {
  const auto held = held_.emplace(due_ns(), packet);
  if (held == held_.begin()) set_timer();
}

std::optional<DelayedPackets::Packet> DelayedPackets::take_one() {
  if (held_.empty() || held_.begin()->first > base::now_ns()) return std::nullopt;
  const Packet due = held_.begin()->second;
  held_.erase(held_.begin());
  return due;
}

Hook::Hook(Sink& sink, const HookOptions& options, const Open& open)
    : sink_(sink), options_(options), forger_(options.forge), delayed_(options) {
  surround(open(*this));
  // Packets that are held back, lost or forged lie in one place.
  if (options_.delay_us != 0 || options_.lose >= 0 || options_.forge != 0) parts_max = 0;
  description_ = EngineAround::description();
  if (options_.delay_us != 0) {
    delayed_.watch_clock(EngineAround::descriptor());
    description_ += fmt::format(", each packet {} {} us late", options_.reorder != 0 ? "up to" : "",
                                options_.delay_us * (options_.reorder != 0 ? 2 : 1));
  }
  if (options_.trace.empty()) return;
  const std::string file = options_.trace + "." + std::to_string(getpid());
  trace_ = base::FileDescriptor(
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!trace_) base::fail(Errc::start, fmt::format("{}: {}", file, base::system_text(errno)));
}

Hook::~Hook() {
  surround(nullptr);
  if (!options_.count) return;
  for (const auto& [peer, count] : sent_)
    std::fprintf(stderr, "armature: process %d was sent %llu packets, %llu bytes\n", peer,
                 static_cast<unsigned long long>(count.packets),
                 static_cast<unsigned long long>(count.bytes));
}

const char* Hook::connect(int peer, std::span<const std::byte> address) {
  if (peer == options_.refuse) return "refused, as ARMATURE_NET_HOOK asks for";
  return EngineAround::connect(peer, address);
}

bool Hook::send(int peer, std::span<const std::byte> head, std::span<const std::byte> body,
                std::uint64_t token) {
  if (has_lost_ && peer == options_.lose) return true;
  Count& count = sent_[peer];
  if (peer == options_.lose && count.packets == options_.lose_after) {
    has_lost_ = true;
    sink_.lost(peer, "lost, as ARMATURE_NET_HOOK asks for");
    return true;
  }
  ++count.packets;
  count.bytes += head.size() + body.size();
  trace("sent", peer, head.size() + body.size());
  if (options_.delay_us == 0) return send_now(peer, head, body, token);
  delayed_.add({peer, head, body, token});
  return false;
}

bool Hook::send_parts(int peer, std::span<const std::byte> head, Parts body, std::uint64_t token) {
  std::size_t bytes = head.size();
  for (const std::span<const std::byte> part : body) bytes += part.size();
  Count& count = sent_[peer];
  ++count.packets;
  count.bytes += bytes;
  trace("sent", peer, bytes);
  return EngineAround::send_parts(peer, head, body, token);
}

// Forged packets follow, so that the packet's memory is still the sender's.
bool Hook::send_now(int peer, std::span<const std::byte> head, std::span<const std::byte> body,
                    std::uint64_t token) {
  if (options_.forge == 0) return EngineAround::send(peer, head, body, token);
  forger_.remember(peer, head, body);
  const bool is_free = EngineAround::send(peer, head, body, token);
  forger_.send_one(inner());
  return is_free;
}

bool Hook::progress() {
  const bool any = delayed_.take_due([this](const DelayedPackets::Packet& due) {
    if (send_now(due.peer, due.head, due.body, due.token)) sink_.sent(due.token);
  });
  return EngineAround::progress() || any;
}

void Hook::received(std::span<const std::byte> head, std::span<const std::byte> body) {
  ++came_.packets;
  came_.bytes += head.size() + body.size();
  trace("came", -1, head.size() + body.size());
  sink_.received(head, body);
}

Hook::Count Hook::sent_to(int peer) const {
  const auto found = sent_.find(peer);
  return found == sent_.end() ? Count{} : found->second;
}

/// Nanoseconds, what, to whom, bytes.
void Hook::trace(const char* what, int peer, std::size_t bytes) const {
  if (!trace_) return;
  const std::string line = fmt::format("{} {} {} {}\n", base::now_ns(), what, peer, bytes);
  (void)!write(trace_.get(), line.data(), line.size());
}

}  // namespace armature::transport
