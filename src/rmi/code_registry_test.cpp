#include "rmi/code_registry.hpp"

#include <gtest/gtest.h>

#include "armature/detail/method.hpp"
#include "base/fail.hpp"

namespace armature::detail {
namespace {

constexpr Method here{Method::expected_magic, nullptr, "here"};
int function(int a) { return 2 * a; }
struct Base {
  virtual ~Base() = default;
  virtual int number() { return 1; }
  int plain() { return 2; }
};

int (Base::*member(CodePointer pointer))() {
  return to_member<int (Base::*)()>(decode(pointer), pointer.adjust());
}

class CodeRegistryTest : public ::testing::Test {
 protected:
  CodeRegistryTest() { rmi::find_modules(); }
};

TEST_F(CodeRegistryTest, a_token_leads_back_to_its_address) {
  const std::uint64_t token = make_token(&here);
  EXPECT_NE(token, 0U);
  EXPECT_EQ(from_token(token), &here);
}

TEST_F(CodeRegistryTest, code_pointers_go_there_and_back) {
  const auto code = reinterpret_cast<std::uintptr_t>(&function);
  EXPECT_EQ(decode(encode(code, 0)), code);
  EXPECT_EQ(member(encode(&Base::plain)), &Base::plain);
  EXPECT_EQ(member(encode(&Base::number)), &Base::number);
  // This address is in a library.
  const auto library = reinterpret_cast<std::uintptr_t>(&::abort);
  EXPECT_EQ(decode(encode(library, 0)), library);
}

TEST_F(CodeRegistryTest, what_lies_in_no_module_cannot_be_named) {
  static thread_local Method on_no_disk{here};
  EXPECT_THROW((void)make_token(&on_no_disk), Error);
  EXPECT_THROW((void)encode(static_cast<int (Base::*)()>(nullptr)), Error);
}

TEST_F(CodeRegistryTest, tokens_of_nothing_are_errors) {
  const std::uint64_t token = make_token(&here);
  for (const std::uint64_t wrong :
       {std::uint64_t{0}, UINT64_MAX >> 16, token ^ (std::uint64_t{1} << 40), token | 0xffff'ffffU,
        (token & ~std::uint64_t{0xffff'ffff}) | (main_module.bytes - 4)})
    EXPECT_THROW((void)from_token(wrong), Error) << wrong;
}

}  // namespace
}  // namespace armature::detail
