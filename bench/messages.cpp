#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <armature/armature.hpp>

#include "bench/rows.hpp"
#include "message/matching.hpp"

// Tagged messages of two ranks: there and back, short ones and long ones, and how they are matched.

namespace armature::bench {

namespace {

constexpr std::size_t mebi = std::size_t{1} << 20;

/// A message there and one back, of `bytes` from that memory to that memory; limit: a word there
/// and a word back, and behind each a copy by who is told.
void pingpong(Stage& stage, const std::string& name, std::size_t bytes, const std::byte* from,
              std::byte* to, const std::byte* theirs) {
  const int other = 1 - stage.world().rank();
  limits::PingPong& words = stage.channel().ping_pongs[1];
  const auto copy = [=] {
    std::memcpy(to, theirs, hidden(bytes));
    keep(*to);
  };
  stage.together(
      {name, bytes},
      [=, &stage] {
        const std::span<const std::byte> data(from, bytes);
        const std::span<std::byte> into(to, bytes);
        if (stage.acts()) send(other, 1, data);
        (void)receive(other, 1, into);
        if (!stage.acts()) send(other, 1, data);
      },
      [=, &stage, &words] {
        if (stage.acts()) {
          words.ask<false>();
          if (bytes > 8) copy();
          return;
        }
        words.answer<false>([=] {
          if (bytes > 8) copy();
        });
      });
}

/// Receives, or messages, that wait: `labels` of them, with patterns of every kind among the
/// receives. What it takes to add one and to have it matched again.
void matching_rows(Stage& stage) {
  constexpr std::size_t count = 10'000;
  using message::Label;
  const auto label = [](std::size_t i) {
    return Label{0, static_cast<std::int32_t>(i % 100), static_cast<std::int32_t>(i / 100)};
  };
  const auto pattern = [=](std::size_t i) {
    Label one = label(i);
    if (i % 16 == 1) one.source = Label::any;
    if (i % 16 == 2) one.tag = Label::any;
    return one;
  };
  stage.alone([&] {
    if (!stage.has("message.match.posted")) return;
    message::PostedReceives posted;
    std::vector<std::unique_ptr<message::PostedReceive>> receives;
    for (std::size_t i = 0; i < count; ++i)
      receives.push_back(std::make_unique<message::PostedReceive>(pattern(i)));
    for (const auto& one : receives) posted.post(*one);
    std::size_t i = 0;
    const auto step = [&] {
      i = (i + 7919) % count;
      if (message::PostedReceive* const found = posted.match(label(i))) posted.post(*found);
    };
    stage.report_alone({"message.match.posted", count}, step);
  });
  stage.alone([&] {
    if (!stage.has("message.match.unexpected")) return;
    message::WaitingMessages waiting;
    std::vector<std::unique_ptr<message::WaitingMessage>> messages;
    for (std::size_t i = 0; i < count; ++i)
      messages.push_back(std::make_unique<message::WaitingMessage>(label(i)));
    for (const auto& one : messages) waiting.add(*one);
    std::size_t i = 0;
    const auto step = [&] {
      i = (i + 7919) % count;
      message::WaitingMessage* const found = waiting.find(pattern(i));
      if (found == nullptr) return;
      waiting.remove(*found);
      waiting.add(*found);
    };
    stage.report_alone({"message.match.unexpected", count}, step);
  });
}

}  // namespace

void message_rows(Stage& stage) {
  const std::string tail = same_process(0, 1) ? ".threads" : "";
  const int me = stage.world().rank();
  constexpr auto half = static_cast<std::ptrdiff_t>(heap_bytes / 2);
  std::byte* const mine = stage.heap_of(me).address();
  const std::byte* const theirs = stage.heap_of(1 - me).direct();
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{4096}, std::size_t{65536}, mebi})
    pingpong(stage, "message" + tail, bytes, mine, mine + half, theirs);
  for (const std::size_t bytes : {std::size_t{65536}, mebi})
    pingpong(stage, "message.private" + tail, bytes, stage.bytes(), stage.bytes() + half, theirs);
  if (tail.empty()) matching_rows(stage);
}

}  // namespace armature::bench
