// Records that come by the network and are for no rank of this process.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <gtest/gtest.h>

#include "armature/error.hpp"
#include "harness/two_nodes.hpp"
#include "rma/remote.hpp"
#include "rma/remote_records.hpp"
#include "transport/service.hpp"

namespace armature::rma {
namespace {

class ServeRemoteTest : public testing::Test {
 protected:
  /// Whether a record with that body, for that rank, is an error of who has sent it.
  [[nodiscard]] static bool is_refused(Kind kind, int to, std::span<const std::byte> body) {
    const transport::Record record{
        .bytes = static_cast<std::uint32_t>(sizeof record + body.size()), .from = 1, .to = to};
    for (const transport::Handling& handling : remote_handlers)
      if (handling.kind == transport::number_of(kind)) try {
          handling.handler({harness::Peer::process, record, body, {}});
        } catch (const Error& error) {
          return error.code() == Errc::corrupt;
        }
    return false;
  }

  harness::TwoNodes net_{harness::TwoNodes::with(service)};
};

TEST_F(ServeRemoteTest, who_writes_nothing_to_a_rank_that_is_not_here_is_refused) {
  const std::array<std::byte, 128> nothing{};
  for (const int to : {-8, -1, 1, 2, 1 << 30}) {
    const auto body = std::span<const std::byte>(nothing);
    EXPECT_TRUE(is_refused(Kind::put, to, body.first(sizeof(PutRecord)))) << to;
    EXPECT_TRUE(is_refused(Kind::write, to, body.first(sizeof(WriteRecord)))) << to;
    PiecesRecord none{};
    for (const std::uint32_t element : {std::uint32_t{0}, no_element}) {
      none.element = element;
      EXPECT_TRUE(is_refused(Kind::pieces, to, std::as_bytes(std::span(&none, 1)))) << to;
    }
  }
}

}  // namespace
}  // namespace armature::rma
