#include "image/plan.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "armature/error.hpp"
#include "base/file_descriptor.hpp"
#include "image/copies.hpp"
#include "image/first_data.hpp"

namespace armature::image {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t page = 4096, data = page, constants_end = page + 1024, zeros = 2 * page;

/// A program of one page that is read and one that is written, with a page of zeros behind it, as
/// the loader would leave it. Its tables lie on the first page.
class MadeImage {
 public:
  MadeImage() {
    headers = {header(PT_INTERP, 0, 0, PF_R), header(PT_DYNAMIC, data, 512, PF_R | PF_W),
               header(PT_GNU_RELRO, data, constants_end - data, PF_R),
               header(PT_LOAD, 0, page, PF_R | PF_X), header(PT_LOAD, data, page, PF_R | PF_W)};
    headers.back().p_memsz = 2 * page;
  }

  void relocate(std::uint64_t at, std::uint32_t type, std::uint64_t symbol = 0) {
    relocations.push_back({at, ELF64_R_INFO(symbol, type), 0});
  }
  /// The number of a symbol; `where`: in the image, 0: in a library.
  std::uint64_t add_symbol(const char* name, std::uint64_t where) {
    symbols.push_back({static_cast<ElfW(Word)>(names.size()), 0, 0,
                       static_cast<ElfW(Section)>(where != 0 ? 1 : SHN_UNDEF), where, 8});
    names += name;
    names += '\0';
    return symbols.size() - 1;
  }
  std::uint64_t& word(std::uint64_t at) {
    return *reinterpret_cast<std::uint64_t*>(memory.data() + at);
  }
  /// Writes an address in the image, as the loader does.
  void point(std::uint64_t at, std::uint64_t to) { word(at) = base() + to; }
  [[nodiscard]] std::uintptr_t base() const {
    return reinterpret_cast<std::uintptr_t>(memory.data());
  }

  [[nodiscard]] Loaded loaded() {
    std::vector<ElfW(Dyn)> dynamic;
    std::uint64_t next = 64;
    const auto put = [&](std::int64_t tag, const void* bytes, std::size_t size) {
      if (size != 0) std::memcpy(memory.data() + next, bytes, size);
      dynamic.push_back({tag, {next}});
      next += (size + 15) / 16 * 16;
    };
    put(DT_SYMTAB, symbols.data(), symbols.size() * sizeof(ElfW(Sym)));
    put(DT_STRTAB, names.data(), names.size());
    put(DT_RELA, relocations.data(), relocations.size() * sizeof(ElfW(Rela)));
    dynamic.push_back({DT_RELASZ, {relocations.size() * sizeof(ElfW(Rela))}});
    put(36, packed.data(), packed.size() * sizeof(std::uint64_t));
    dynamic.push_back({35, {packed.size() * sizeof(std::uint64_t)}});
    if (runs_first) dynamic.push_back({DT_PREINIT_ARRAYSZ, {8}});
    if (is_symbolic) dynamic.push_back({DT_SYMBOLIC, {0}});
    dynamic.push_back({DT_NULL, {0}});
    std::memcpy(memory.data() + data, dynamic.data(), dynamic.size() * sizeof(ElfW(Dyn)));
    return {base(), headers};
  }
  [[nodiscard]] Plan planned() { return plan(loaded()); }
  /// The first bytes of what is written, out of a file.
  [[nodiscard]] std::vector<std::byte> first() {
    Loaded image = loaded();
    const base::FileDescriptor file(memfd_create("image", MFD_CLOEXEC));
    image.file = file.get();
    EXPECT_EQ(pwrite(file.get(), memory.data(), memory.size(), 0),
              static_cast<ssize_t>(memory.size()));
    return first_data(image, image.headers.back());
  }
  std::string refusal() {
    try {
      (void)planned();
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  }

  static ElfW(Phdr)
      header(std::uint32_t type, std::uint64_t at, std::uint64_t bytes, std::uint32_t flags) {
    ElfW(Phdr) made{};
    made.p_type = type;
    made.p_flags = flags;
    made.p_offset = made.p_vaddr = at;
    made.p_filesz = made.p_memsz = bytes;
    return made;
  }
  std::vector<ElfW(Phdr)> headers;
  std::vector<std::uint64_t> packed;
  std::vector<ElfW(Sym)> symbols{{}};
  bool runs_first = false, is_symbolic = false;

 private:
  std::vector<std::byte> memory = std::vector<std::byte>(3 * page);
  std::vector<ElfW(Rela)> relocations;
  std::string names = std::string(1, '\0');
};

TEST(PlanTest, words_that_relocations_have_written_move_and_no_others) {
  MadeImage image;
  image.relocate(data + 2048, R_X86_64_RELATIVE);
  image.relocate(data + 2056, R_X86_64_IRELATIVE);
  image.relocate(data + 2064, R_X86_64_TPOFF64);
  image.point(data + 2048, 100);
  image.point(data + 2056, 200);
  image.point(data + 2072, 300);  // looks like one
  const Plan plan = image.planned();
  EXPECT_THAT(plan.moved, ElementsAre(data + 2048, data + 2056));
  EXPECT_EQ(plan.bytes, 3 * page);
  ASSERT_EQ(plan.data.size(), 1u);
  EXPECT_EQ(plan.data[0].first.size(), page);
}

TEST(PlanTest, packed_relocations_are_words_and_bits_for_those_behind) {
  MadeImage image;
  image.packed = {data + 2048, 0b1011, 0b11, data + 3000};
  const Plan plan = image.planned();
  EXPECT_THAT(plan.moved, ElementsAre(data + 2048, data + 2056, data + 2072, data + 2056 + 63 * 8,
                                      data + 3000));
}

TEST(PlanTest, a_symbol_of_the_program_moves_and_one_of_a_library_stays) {
  MadeImage image;
  image.relocate(data + 2048, R_X86_64_GLOB_DAT, image.add_symbol("own", 64));
  image.relocate(data + 2056, R_X86_64_64, image.add_symbol("of_library", 0));
  image.point(data + 2048, 64);
  image.word(data + 2056) = 12345;
  Plan plan = image.planned();
  EXPECT_THAT(plan.moved, ElementsAre(data + 2048));
  plan.replace("of_library", 777);
  std::uint64_t word = 0;
  std::memcpy(&word, plan.data[0].first.data() + 2056, sizeof word);
  EXPECT_EQ(word, 777u);
}

TEST(FirstDataTest, a_name_that_others_have_too_is_that_of_the_first_unless_it_binds_to_itself) {
  // The C library has `environ`.
  const auto others = reinterpret_cast<std::uint64_t>(&environ);
  for (const bool is_symbolic : {false, true})
    for (const bool is_local : {false, true})
      for (const bool is_hidden : {false, true}) {
        MadeImage image;
        image.is_symbolic = is_symbolic;
        const std::uint64_t symbol = image.add_symbol("environ", data + 3072);
        image.symbols[symbol].st_info =
            ELF64_ST_INFO(is_local ? STB_LOCAL : STB_GLOBAL, STT_OBJECT);
        image.symbols[symbol].st_other = is_hidden ? STV_HIDDEN : STV_DEFAULT;
        image.relocate(data + 2048, R_X86_64_64, symbol);
        const std::vector<std::byte> bytes = image.first();
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + 2048, sizeof word);
        EXPECT_EQ(word, is_symbolic || is_local || is_hidden ? image.base() + data + 3072 : others);
      }
}

TEST(PlanTest, a_librarys_constant_may_lie_in_the_program_and_a_variable_must_be_known) {
  MadeImage constant;
  constant.relocate(data + 512, R_X86_64_COPY, constant.add_symbol("whatever", data + 512));
  EXPECT_EQ(constant.refusal(), "none");
  MadeImage known;
  known.relocate(zeros, R_X86_64_COPY, known.add_symbol("stdout", zeros));
  EXPECT_EQ(known.planned().own_at("stdout"), zeros);
  MadeImage unknown;
  unknown.relocate(zeros, R_X86_64_COPY, unknown.add_symbol("signgam", zeros));
  EXPECT_THAT(unknown.refusal(), HasSubstr("the variable signgam of a library"));
  EXPECT_THAT(unknown.refusal(), HasSubstr("-fPIC"));
}

TEST(PlanTest, what_cannot_be_copied_is_refused_with_a_remedy) {
  MadeImage code;
  code.relocate(512, R_X86_64_RELATIVE);
  EXPECT_THAT(code.refusal(), HasSubstr("text relocations"));
  MadeImage strange;
  strange.relocate(data + 2048, 99);
  EXPECT_THAT(strange.refusal(), HasSubstr("(type 99)"));
  MadeImage by_itself;
  by_itself.headers.erase(by_itself.headers.begin());
  EXPECT_THAT(by_itself.refusal(), HasSubstr("without -static"));
  MadeImage writable;
  writable.headers.back().p_flags |= PF_X;
  EXPECT_THAT(writable.refusal(), HasSubstr("code that may be written to"));
  MadeImage wide;
  wide.headers.back().p_align = 4 * page;
  EXPECT_THAT(wide.refusal(), HasSubstr("multiples of 16384 bytes"));
  MadeImage large_pages;
  large_pages.headers.back().p_align = 2 << 20;
  EXPECT_EQ(large_pages.refusal(), "none");
  MadeImage first;
  first.runs_first = true;
  EXPECT_THAT(first.refusal(), HasSubstr(".preinit_array"));
  MadeImage thread_local_address;
  thread_local_address.headers.push_back(MadeImage::header(PT_TLS, data + 2048, 16, PF_R));
  thread_local_address.relocate(data + 2056, R_X86_64_RELATIVE);
  EXPECT_THAT(thread_local_address.refusal(), HasSubstr("begins as the address of another"));
}

TEST(PlanTest, a_copy_has_a_variable_of_its_own_where_the_program_names_a_librarys) {
  MadeImage image;
  image.relocate(data + 2048, R_X86_64_GLOB_DAT, image.add_symbol("of_library", 0));
  image.word(data + 2048) = 12345;
  const Loaded loaded = image.loaded();
  Plan made = plan(loaded);
  const int first = 7;
  made.give("unnamed", std::as_bytes(std::span(&first, 1)));
  EXPECT_EQ(made.all_bytes(), 3 * page);
  made.give("of_library", std::as_bytes(std::span(&first, 1)));
  EXPECT_EQ(made.own_at("of_library"), 3 * page);
  EXPECT_EQ(made.all_bytes(), 4 * page);
  std::vector<std::byte> memory(4 * page);
  const Copies copies({loaded}, std::move(made), {memory.data(), 4 * page, 1}, {});
  copies.fill(0);
  EXPECT_EQ(**reinterpret_cast<int**>(memory.data() + data + 2048), 7);
}

TEST(PlanTest, a_word_that_leads_out_of_the_image_stays_whoever_wrote_it) {
  MadeImage image;
  image.relocate(data + 2048, R_X86_64_GLOB_DAT, image.add_symbol("taken_from_elsewhere", 64));
  image.relocate(data + 2056, R_X86_64_IRELATIVE);
  image.word(data + 2048) = image.word(data + 2056) = 12345;
  EXPECT_THAT(image.planned().moved, ElementsAre());
}

TEST(PlanTest, what_the_loader_has_chosen_makes_programs_differ_and_where_they_lie_does_not) {
  const auto bound = [](std::uint64_t chosen) {
    MadeImage image;
    image.relocate(data + 2048, R_X86_64_IRELATIVE);
    image.point(data + 2048, chosen);
    return image.planned().bound;
  };
  EXPECT_EQ(bound(100), bound(100));
  EXPECT_NE(bound(100), bound(200));
}

TEST(PlanTest, a_library_lies_behind_the_program_and_each_finds_the_others_copy) {
  MadeImage program, library;
  program.relocate(data + 2048, R_X86_64_GLOB_DAT, program.add_symbol("of_library", 0));
  program.word(data + 2048) = library.base() + 100;
  library.relocate(data + 2048, R_X86_64_GLOB_DAT, library.add_symbol("of_program", 0));
  library.word(data + 2048) = program.base() + 200;
  library.relocate(data + 2056, R_X86_64_RELATIVE);
  library.point(data + 2056, 300);
  const std::vector<Loaded> images = {program.loaded(), library.loaded()};
  Plan made = plan(images);
  EXPECT_EQ(made.bytes, 6 * page);
  EXPECT_THAT(made.order, ElementsAre(1, 0));
  EXPECT_THAT(made.moved, ElementsAre(data + 2048, 3 * page + data + 2048, 3 * page + data + 2056));
  std::vector<std::byte> memory(6 * page);
  const Copies copies(images, std::move(made), {memory.data(), 6 * page, 1}, {});
  copies.fill(0);
  const auto copy = reinterpret_cast<std::uintptr_t>(memory.data());
  const auto word = [&](std::uint64_t at) {
    return *reinterpret_cast<std::uint64_t*>(memory.data() + at);
  };
  EXPECT_EQ(word(data + 2048), copy + 3 * page + 100);
  EXPECT_EQ(word(3 * page + data + 2048), copy + 200);
  EXPECT_EQ(word(3 * page + data + 2056), copy + 3 * page + 300);
  EXPECT_EQ(copies.original_of(copy + 3 * page + 300), library.base() + 300);
  EXPECT_EQ(copies.own_of(0, library.base() + 300), copy + 3 * page + 300);
}

TEST(PlanTest, code_and_constants_beside_each_other_are_one_memory_area) {
  constexpr std::uint64_t elsewhere = 16 * page;  // in the file
  for (const std::uint64_t offset : {page, elsewhere}) {
    MadeImage image;
    image.headers[1] = MadeImage::header(PT_DYNAMIC, data, 512, PF_R | PF_W);
    image.headers[3] = MadeImage::header(PT_LOAD, 0, page, PF_R);
    image.headers[4] = MadeImage::header(PT_LOAD, data, 2 * page, PF_R | PF_W);
    image.headers.push_back(MadeImage::header(PT_LOAD, 3 * page, page, PF_R));
    image.headers.push_back(MadeImage::header(PT_LOAD, 4 * page, 100, PF_R | PF_X));
    image.headers.back().p_offset = 3 * page + offset;
    const Plan plan = image.planned();
    const bool is_one = offset == page;
    ASSERT_EQ(plan.text.size(), is_one ? 2u : 3u);
    EXPECT_EQ(plan.areas(), is_one ? 3u : 4u);
    EXPECT_EQ(plan.text[0].bytes, page);
    EXPECT_EQ(plan.text[1].begin, 3 * page);
    EXPECT_EQ(plan.text[1].bytes, is_one ? 2 * page : page);
    EXPECT_EQ(plan.text[1].protection, is_one ? PROT_READ | PROT_EXEC : PROT_READ);
  }
}

TEST(CopiesTest, code_and_constants_are_told_from_variables) {
  MadeImage image;
  const Loaded loaded = image.loaded();
  const std::uint64_t distance = 4 * page;
  std::vector<std::byte> memory(2 * distance);
  const Copies copies({loaded}, plan(loaded), {memory.data(), distance, 2}, {});
  std::byte* const second = copies.of(1);
  EXPECT_TRUE(copies.text_holds(second, 1));
  EXPECT_TRUE(copies.text_holds(second + page - 1, 8));
  EXPECT_TRUE(copies.text_holds(second - 8, 9));
  EXPECT_FALSE(copies.text_holds(second - 8, 8));
  EXPECT_FALSE(copies.text_holds(second + page, 8));
  EXPECT_FALSE(copies.text_holds(&image, 8));
}

TEST(CopiesTest, a_copy_points_into_itself_and_has_what_the_program_borrows_now) {
  MadeImage image;
  image.relocate(data + 2048, R_X86_64_RELATIVE);
  image.relocate(zeros, R_X86_64_COPY, image.add_symbol("stdout", zeros));
  image.point(data + 2048, 100);
  const Loaded loaded = image.loaded();
  Plan made = plan(loaded);
  image.word(data + 2048) = 1;  // by the program, which has begun
  image.word(zeros) = 42;
  const std::uint64_t distance = 4 * page;
  std::vector<std::byte> memory(2 * distance);
  const Copies copies({loaded}, std::move(made), {memory.data(), distance, 2}, {});
  copies.fill(1);
  const auto second = reinterpret_cast<std::uintptr_t>(memory.data() + distance);
  EXPECT_EQ(*reinterpret_cast<std::uint64_t*>(copies.of(1) + data + 2048), second + 100);
  EXPECT_EQ(*reinterpret_cast<std::uint64_t*>(copies.of(1) + zeros), 42u);
  EXPECT_EQ(copies.owner(second + 100), 1);
  EXPECT_EQ(copies.owner(second + 3 * page), -1);
  EXPECT_EQ(copies.original_of(second + 100), image.base() + 100);
  EXPECT_EQ(copies.own_of(1, image.base() + 100), second + 100);
  EXPECT_EQ(copies.own_of(1, 5), 5u);
}

}  // namespace
}  // namespace armature::image
