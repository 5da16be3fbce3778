// Messages that make no sense are found before anything of them is acted on. A rank alone calls
// itself, so that its channel is at hand.
#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "armature/rmi.hpp"
#include "armature/run.hpp"
#include "base/checksum.hpp"
#include "rmi/endpoint.hpp"
#include "rmi/request_checksum.hpp"

namespace armature::rmi {
namespace {

using detail::LongArguments;
using detail::Reply;
using detail::RequestHeader;
using detail::RequestKind;

int add(int a) { return a + 1; }
std::size_t length(const std::string& text) { return text.size(); }

class CorruptTest : public ::testing::Test {
 protected:
  CorruptTest() {
    // Each in a process that was started anew: a forked one would spoil this one's ring.
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    (void)init();
    EXPECT_EQ(sync(0, add, 1), 2);  // the channel is open now
    EXPECT_EQ(sync(0, length, "text"), 4U);
    const std::uint64_t address =
        endpoint().space().head(0).peer(0).channel.load(std::memory_order_acquire);
    channel_ = reinterpret_cast<transport::Channel*>(address);
  }
  static Endpoint& endpoint() { return this_endpoint("test"); }
  /// A checksum stands at the end of each request where jobs check everything, as they do in debug
  /// builds.
  static std::size_t checksum_bytes() {
    return endpoint().space().checks_in_full() ? sizeof(RequestChecksum) : 0;
  }
  /// The request that was sent last, still there in the ring, spoilt by `how` and sent once more,
  /// as if it had been written so.
  template <class How>
  void send_spoilt(std::size_t bytes, How how) {
    std::byte request[256];
    const std::size_t all = bytes + checksum_bytes();
    const std::uint64_t end = channel_->published.load();
    std::memcpy(request, channel_->at(end - all), all);
    how(request);
    const RequestChecksum checksum{.request = base::checksum({request, bytes})};
    if (checksum_bytes() > 0) std::memcpy(request + bytes, &checksum, sizeof checksum);
    std::memcpy(channel_->at(end), request, all);
    // Counted as sent, for what is sent after it.
    detail::Outgoing& out = endpoint().context().sender.to[0];
    out.at += all;
    out.written += all;
    ++out.sent;
    channel_->published.store(end + all, std::memory_order_release);
    endpoint().deliver();
  }
  template <class How>
  void send_spoilt_header(How how) {
    send_spoilt(48, [&](std::byte* request) {
      RequestHeader header;
      std::memcpy(&header, request, sizeof header);
      EXPECT_EQ(header.units, (48 + checksum_bytes()) / RequestHeader::unit) << "of length()";
      how(header);
      std::memcpy(request, &header, sizeof header);
    });
  }

  transport::Channel* channel_ = nullptr;
};
using CorruptDeathTest = CorruptTest;

TEST_F(CorruptDeathTest, lengths) {
  const char* const said = "a request from rank 0 of .* bytes";
  EXPECT_DEATH(send_spoilt_header([](RequestHeader& h) { h.units = 0; }), said);
  EXPECT_DEATH(send_spoilt_header([](RequestHeader& h) { h.units = 0xffff; }), said);
  EXPECT_DEATH(send_spoilt_header([](RequestHeader& h) { ++h.units; }), said);
  EXPECT_DEATH(send_spoilt_header([](RequestHeader& h) { h.units = 1; }), said)
      << "no room for the address of the answer";
}

TEST_F(CorruptDeathTest, kinds) {
  const char* const said = "a request from rank 0 of kind";
  EXPECT_DEATH(send_spoilt_header([](RequestHeader& h) { h.kind = 7; }), said);
  EXPECT_DEATH(send_spoilt_header([](RequestHeader& h) { h.kind |= 0x80; }), said);
}

TEST_F(CorruptDeathTest, repetitions_of_what_never_was) {
  const auto repeat = [](RequestHeader& h) {
    h.kind = static_cast<std::uint8_t>(RequestKind::repeated_header);
  };
  EXPECT_DEATH(send_spoilt_header(repeat), "repeats one that never was");
}

TEST_F(CorruptDeathTest, the_counter_of_what_was_published) {
  EXPECT_DEATH(
      {
        channel_->published.store(channel_->published.load() + (1 << 30));
        endpoint().deliver();
      },
      "claims .* bytes in a ring of");
}

TEST_F(CorruptDeathTest, methods) {
  EXPECT_DEATH(send_spoilt_header([](RequestHeader& h) { h.method_offset += 16; }),
               "names a method by .*, where there is none");
}

TEST_F(CorruptDeathTest, places_for_the_answer) {
  EXPECT_DEATH(send_spoilt(48,
                           [](std::byte* request) {
                             const std::uint64_t address = 0x1000;
                             std::memcpy(request + 16, &address, sizeof address);
                           }),
               "names a place for the answer that is not its own");
}

TEST_F(CorruptDeathTest, places_of_long_arguments) {
  const auto send_long = [this](std::uint64_t block, std::uint64_t bytes) {
    send_spoilt(48, [&](std::byte* request) {
      request[2] |= std::byte{RequestHeader::is_long};
      const LongArguments where{block, bytes};
      std::memcpy(request + 24, &where, sizeof where);
    });
  };
  const auto own = reinterpret_cast<std::uint64_t>(channel_);  // in the right segment
  const char* const said = "arguments that do not lie in its memory";
  EXPECT_DEATH(send_long(0x1000, 100), said);
  EXPECT_DEATH(send_long(own, UINT64_MAX), said);
  EXPECT_DEATH(send_long(own, std::uint64_t{1} << 50), said);
  EXPECT_DEATH(send_long(own + 4, 100), said);
  EXPECT_DEATH(send_long(own, 8), said);
}

TEST_F(CorruptTest, lengths_inside_the_arguments_are_an_error_of_the_call) {
  // The length of the text, behind header, reply slot and the function's address.
  Reply* const reply = detail::new_reply(0);
  send_spoilt(48, [&](std::byte* request) {
    std::memcpy(request + 16, &reply, sizeof reply);
    const std::uint64_t bytes = 1000;
    std::memcpy(request + 32, &bytes, sizeof bytes);
  });
  EXPECT_EQ(reply->state.load(), Reply::threw);
  EXPECT_EQ(reply->code, static_cast<std::uint32_t>(Errc::corrupt) + 1);
  detail::drop_reply(reply);
}

TEST_F(CorruptTest, a_function_that_lies_in_no_module_is_an_error_of_the_call) {
  for (const std::uint64_t code : {std::uint64_t{1000}, UINT64_MAX >> 16}) {
    Reply* const reply = detail::new_reply(0);
    send_spoilt(48, [&](std::byte* request) {
      std::memcpy(request + 16, &reply, sizeof reply);
      std::memcpy(request + 24, &code, sizeof code);
    });
    EXPECT_EQ(reply->state.load(), Reply::threw);
    detail::drop_reply(reply);
  }
}

TEST_F(CorruptTest, a_module_that_is_not_here_is_an_error_of_the_call) {
  Reply* const reply = detail::new_reply(0);
  send_spoilt(48, [&](std::byte* request) {
    RequestHeader header;
    std::memcpy(&header, request, sizeof header);
    header.module = static_cast<std::uint16_t>(header.module ^ 0x5555);
    std::memcpy(request, &header, sizeof header);
    std::memcpy(request + 16, &reply, sizeof reply);
  });
  EXPECT_EQ(reply->state.load(), Reply::threw);
  detail::drop_reply(reply);
}

}  // namespace
}  // namespace armature::rmi
