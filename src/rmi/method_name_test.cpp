#include "rmi/method_name.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "armature/detail/call.hpp"

namespace {

struct Base {
  void add(int) {}
};
struct Account : Base {
  [[nodiscard]] int total(const std::map<std::string, long>&) const { return 0; }
};

}  // namespace

namespace armature::rmi {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

template <class T, class Member>
std::string name_of_member(Member member) {
  using Entry = detail::MemberEntry<T, Member, false>;
  return name_of(detail::MethodTokenOf<Entry>::method, detail::decode(detail::encode(member)));
}

template <class F>
std::string name_of_function(F, std::uintptr_t code = 0) {
  using Entry = detail::FunctionEntry<F, false, typename detail::Signature<F>::Parameters>;
  return name_of(detail::MethodTokenOf<Entry>::method, code);
}

TEST(MethodName, a_method_is_named_by_its_type) {
  EXPECT_THAT(name_of_member<Account>(&Account::total),
              AllOf(StartsWith("int ("), HasSubstr("Account::*)(const std::map<"),
                    testing::EndsWith(") const")));
}

TEST(MethodName, a_method_of_a_base_is_named_with_the_object_it_was_called_of) {
  EXPECT_THAT(name_of_member<Account>(&Base::add),
              AllOf(HasSubstr("Base::*)(int) of "), testing::EndsWith("Account")));
}

TEST(MethodName, a_function_that_the_loader_knows_is_named_by_its_symbol) {
  const auto code = reinterpret_cast<std::uintptr_t>(dlsym(RTLD_DEFAULT, "exit"));
  EXPECT_EQ(name_of_function<void (*)(int)>(&std::exit, code), "exit");
}

TEST(MethodName, other_functions_are_named_by_their_type) {
  EXPECT_EQ(name_of_function(+[](int) {}), "void (*)(int)");
  EXPECT_THAT(name_of_function([](int) {}), HasSubstr("lambda"));
}

}  // namespace
}  // namespace armature::rmi
