#include "command/executable/globals.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "armature/rank_local.hpp"
#include "base/fail.hpp"
#include "base/file_descriptor.hpp"
#include "base/random.hpp"

namespace fruit {
int apples = 3;
int pears;
extern const int plums = 4;
thread_local int quinces = 5;
armature::rank_local<int> cherries;
// No code makes it, whatever its type.
static constinit armature::rank_local<std::map<int, std::string>> wild_cherries;
namespace {
armature::rank_local<int> sour_cherries(8);
}
armature::rank_local<std::map<int, int>> few_cherries(std::map<int, int>{{1, 2}});

int& of_function() {
  static int grapes = 6;
  return grapes;
}
const void* more_cherries() {
  static armature::rank_local<int> black_cherries;
  return &black_cherries;
}
}  // namespace fruit

namespace boost {
int kernels = 7;
}

namespace armature::command {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

TEST(GlobalsTest, variables_that_ranks_share_are_found_by_their_names) {
  fruit::of_function() += ++fruit::apples + ++fruit::pears;
  const auto globals = writable_globals("/proc/self/exe");
  EXPECT_THAT(globals, Contains("fruit::apples"));
  EXPECT_THAT(globals, Contains("fruit::pears"));
  EXPECT_THAT(globals, Contains("fruit::of_function()::grapes"));
}

TEST(GlobalsTest, constants_and_those_that_no_other_rank_sees_are_none_of_them) {
  fruit::quinces += fruit::plums;
  [[maybe_unused]] const void* volatile used = &fruit::cherries;
  used = &fruit::wild_cherries;
  used = &fruit::sour_cherries;
  used = &fruit::few_cherries;
  used = fruit::more_cherries();
  ++boost::kernels;
  const auto globals = writable_globals("/proc/self/exe");
  for (const std::string& name : globals) {
    EXPECT_THAT(name, Not(HasSubstr("plums")));
    EXPECT_THAT(name, Not(HasSubstr("quinces")));
    EXPECT_THAT(name, Not(HasSubstr("cherries")));
    EXPECT_THAT(name, Not(HasSubstr("kernels")));
    EXPECT_FALSE(name.starts_with("std::") || name.starts_with("armature::")) << name;
  }
}

TEST(GlobalsTest, a_file_that_is_no_program_has_none) {
  EXPECT_TRUE(writable_globals("/proc/self/status").empty());
  EXPECT_TRUE(writable_globals("/nowhere").empty());
}

/// A copy of this program whose bytes can be changed.
class Copy {
 public:
  Copy() : file_(memfd_create("program", MFD_CLOEXEC)) {
    // The program has hundreds of megabytes where it is built with sanitizers: not byte by byte.
    const base::FileDescriptor program(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    ssize_t copied = 0;
    while ((copied = sendfile(file_.get(), program.get(), nullptr, std::size_t{1} << 30)) > 0)
      size_ += static_cast<std::size_t>(copied);
    EXPECT_EQ(copied, 0) << base::system_text(errno);
  }
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(file_.get()); }
  [[nodiscard]] std::size_t size() const { return size_; }
  void cut(std::size_t bytes) const {
    EXPECT_EQ(ftruncate(file_.get(), static_cast<off_t>(bytes)), 0);
  }
  template <class T>
  [[nodiscard]] T at(std::size_t offset) const {
    T value{};
    EXPECT_EQ(pread(file_.get(), &value, sizeof value, static_cast<off_t>(offset)),
              static_cast<ssize_t>(sizeof value));
    return value;
  }
  template <class T>
  void set(std::size_t offset, const T& value) const {
    EXPECT_EQ(pwrite(file_.get(), &value, sizeof value, static_cast<off_t>(offset)),
              static_cast<ssize_t>(sizeof value));
  }

 private:
  base::FileDescriptor file_;
  std::size_t size_ = 0;
};

TEST(GlobalsTest, a_program_that_is_cut_off_somewhere_is_read_as_far_as_it_goes) {
  const Copy copy;
  ASSERT_FALSE(writable_globals(copy.path()).empty());
  const std::size_t sections = copy.at<Elf64_Ehdr>(0).e_shoff;
  for (const std::size_t bytes :
       {copy.size() - 1, sections + 100, sections, sections - 1, sections / 2, sizeof(Elf64_Ehdr),
        sizeof(Elf64_Ehdr) - 1, sizeof(Elf64_Ehdr) / 2, std::size_t{4}, std::size_t{0}}) {
    copy.cut(bytes);
    EXPECT_TRUE(writable_globals(copy.path()).empty()) << bytes;
  }
}

TEST(GlobalsTest, numbers_that_lead_out_of_a_program_are_not_followed) {
  const Copy copy;
  const auto head = copy.at<Elf64_Ehdr>(0);
  // Odd numbers are written into the file's head, then to where sections lie and what is in them.
  base::Random random(1);
  constexpr std::array<std::uint64_t, 5> odd = {0, 1, 0x7fff'ffff, ~std::uint64_t{0}, 1ULL << 63};
  for (int round = 0; round < 60; ++round) {
    const bool in_head = round % 4 == 0;
    const std::size_t area = in_head ? EI_NIDENT : head.e_shoff;
    const std::size_t bytes =
        in_head ? sizeof(Elf64_Ehdr) - EI_NIDENT : head.e_shnum * sizeof(Elf64_Shdr);
    const std::size_t place = area + random.below(bytes / 8) * 8;
    const auto right = copy.at<std::uint64_t>(place);
    copy.set(place, odd[random.below(odd.size())]);
    (void)writable_globals(copy.path());
    copy.set(place, right);
  }
  EXPECT_FALSE(writable_globals(copy.path()).empty());
}

TEST(GlobalsTest, the_note_names_the_first_few_and_the_remedy) {
  EXPECT_EQ(note_about_globals("prog", {}, 5), "");
  EXPECT_THAT(note_about_globals("prog", {"a"}, 5), HasSubstr("1 variable of prog"));
  const std::string note = note_about_globals("prog", {"a", "b", "c", "d", "e", "f", "g"}, 5);
  EXPECT_THAT(note, HasSubstr("7 variables of prog"));
  EXPECT_THAT(note, HasSubstr("a, b, c, d, e and 2 more"));
  EXPECT_THAT(note, HasSubstr("armature::rank_local"));
}

}  // namespace
}  // namespace armature::command
