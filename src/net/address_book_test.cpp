#include "net/address_book.hpp"

#include <sys/mman.h>

#include <map>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "space/job_memory.hpp"

namespace armature::net {
namespace {

using Bytes = std::vector<std::byte>;

/// An exchange of four processes on two nodes, of which 2 and 3 have published.
class AskedExchange final : public bootstrap::Exchange {
 public:
  AskedExchange() {
    for (const int process : {2, 3}) {
      const auto services = std::uint64_t{100} + static_cast<std::uint64_t>(process);
      const auto bytes = std::as_bytes(std::span(&services, 1));
      values_[{process, "net.services"}] = {bytes.begin(), bytes.end()};
      values_[{process, "net.address"}] = Bytes(5, static_cast<std::byte>(process));
    }
  }
  [[nodiscard]] int process() const override { return 0; }
  [[nodiscard]] int processes() const override { return 4; }
  void put(std::string_view key, std::span<const std::byte> value) override {
    values_[{0, std::string(key)}] = {value.begin(), value.end()};
  }
  void publish_long_address(int process) {
    values_[{process, "net.address"}] = Bytes(space::AddressSlot::bytes_max + 1);
  }

 protected:
  [[nodiscard]] Bytes look_up(int process, std::string_view key) override {
    return values_.at({process, std::string(key)});
  }
  void wait_for_all(std::chrono::milliseconds) override {}

 private:
  std::map<std::pair<int, std::string>, Bytes> values_;
};

class AddressBookTest : public testing::Test {
 protected:
  ~AddressBookTest() override { munmap(control_.start, space::Control::bytes(control_.header())); }
  space::JobMemory memory_ =
      space::JobMemory::create({.ranks = 4, .segment_bytes = 1 << 30, .nodes = {0, 2}});
  space::Control control_ = space::map_control(memory_.control.get());
  AskedExchange exchange_;
};

TEST_F(AddressBookTest, asks_the_exchange_where_nothing_is_kept) {
  AddressBook book(control_, exchange_);
  EXPECT_EQ(book.address_of(3), Bytes(5, std::byte{3}));
  EXPECT_EQ(book.services_of(3), 103u);
  EXPECT_EQ(exchange_.reads(), 2u);
}

TEST_F(AddressBookTest, one_process_of_a_node_asks_for_all) {
  AddressBook firsts(control_, exchange_), others(control_, exchange_);
  std::thread other([&] { others.keep_for_node(false); });
  firsts.keep_for_node(true);
  other.join();
  EXPECT_EQ(exchange_.reads(), 4u) << "an address and the services of each process of other nodes";
  for (const AddressBook* book : {&firsts, &others})
    for (const int process : {2, 3}) {
      EXPECT_EQ(book->address_of(process), Bytes(5, static_cast<std::byte>(process)));
      EXPECT_EQ(book->services_of(process), 100u + static_cast<unsigned>(process));
    }
  EXPECT_EQ(exchange_.reads(), 4u) << "later nobody is asked";
}

TEST_F(AddressBookTest, an_address_too_long_to_be_kept_is_asked_for) {
  exchange_.publish_long_address(2);
  AddressBook book(control_, exchange_);
  book.keep_for_node(true);
  EXPECT_EQ(book.address_of(2).size(), space::AddressSlot::bytes_max + 1);
  EXPECT_EQ(book.address_of(3).size(), 5u);
}

}  // namespace
}  // namespace armature::net
