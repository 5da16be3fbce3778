#include "rma/pending_requests.hpp"

#include <mutex>

#include <gtest/gtest.h>

#include "armature/error.hpp"
#include "harness/two_nodes.hpp"
#include "rma/protocol.hpp"
#include "wait/request.hpp"

namespace armature::rma {
namespace {

using harness::TwoNodes;
using net::network;

TEST(PendingRequestTest, what_is_asked_of_a_process_just_lost_is_over) {
  TwoNodes net(TwoNodes::with(service));
  net.mapping().header().settings.on_death = space::OnDeath::go_on;
  {
    const std::lock_guard locked(network()->links().lock());
    network()->links().give_up(harness::Peer::process, "the test says so");
  }
  // As it is when that happens after the caller has looked whether it can be reached.
  long into = 0;
  detail::Request* const get = start_good(
      operation_on(Verb::get, Rank(1), {&into, net.mapping().segment(1), sizeof into}, {}),
      Finish::later);
  EXPECT_TRUE(get->is_complete(*get));
  EXPECT_THROW(get->check(*get), Error);
  get->release(*get);
}

}  // namespace
}  // namespace armature::rma
