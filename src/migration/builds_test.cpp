#include "migration/builds.hpp"

#include <string>

#include <gtest/gtest.h>

namespace armature::migration {
namespace {

/// A library without a build id.
struct Module {
  std::string code = "what it executes", constants = "what it reads", data = "what it writes";

  [[nodiscard]] BuildId build() const {
    const ElfW(Phdr) segments[] = {segment(code, PF_R | PF_X), segment(constants, PF_R),
                                   segment(data, PF_R | PF_W)};
    dl_phdr_info info{};
    info.dlpi_name = "";
    info.dlpi_phdr = segments;
    info.dlpi_phnum = 3;
    return build_of(info);
  }

 private:
  static ElfW(Phdr) segment(const std::string& bytes, unsigned flags) {
    ElfW(Phdr) segment{};
    segment.p_type = PT_LOAD;
    segment.p_flags = flags;
    segment.p_vaddr = reinterpret_cast<ElfW(Addr)>(bytes.data());
    segment.p_memsz = bytes.size();
    return segment;
  }
};

TEST(BuildsTest, without_an_id_a_build_is_known_by_all_that_does_not_change) {
  const Module module;
  EXPECT_EQ(module.build(), Module().build());
  EXPECT_NE(module.build(), Module{.code = "what it executed"}.build());
  EXPECT_NE(module.build(), Module{.constants = "what it read"}.build());
  EXPECT_EQ(module.build(), Module{.data = "what it wrote"}.build());
}

}  // namespace
}  // namespace armature::migration
