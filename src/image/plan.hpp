#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "image/loaded.hpp"

// How a program's image is copied to another place, so that the copy is a program of its own with
// its own variables. The loader has bound the image before any of its code ran. Then each word of
// it that is to differ in a copy is one that a relocation has written, and holds an address within
// the image: it moves with the image. All others are the same in every copy, names of other
// libraries' functions among them. So a plan is made of the image as it lies in memory then, and no
// symbol is looked up a second time. Nothing is scanned for what looks like a pointer.
//
// Libraries may be copied with the program. They lie behind it in a copy, and a word that names
// something in one of these images leads to that image in the copy. Addresses in a plan count from
// where a copy begins.

namespace armature::image {

struct Plan {
  /// Memory that is never written to: mapped from the program's file.
  struct Text {
    std::uint64_t begin, bytes, file_offset;  // whole pages
    int protection;
    std::size_t image;
  };
  /// Memory that begins as `first`, and as zeros behind that.
  struct Data {
    std::uint64_t begin, bytes;
    std::vector<std::byte> first;
  };
  /// A library's variable that lies in the program, since its code names it without a detour.
  struct Borrowed {
    std::uint64_t begin, bytes;
    std::string name;
    std::uint64_t from;  // in the copy; 0: the program's as it is now
  };
  /// A word that names what a library has.
  struct Import {
    std::uint64_t at;
    std::string name;
  };
  struct Functions {
    std::uint64_t begin = 0, count = 0;  // of their addresses
  };
  /// The program, or a library that is copied with it.
  struct Image {
    std::uint64_t begin = 0, bytes = 0;  // whole pages
    Functions init, fini;
    std::uint64_t init_function = 0, fini_function = 0;  // 0: none
    std::uint64_t unwind_table = 0;                      // PT_GNU_EH_FRAME; 0: none
  };

  /// Has copies call another function than the library's of that name.
  void replace(std::string_view name, std::uintptr_t by);
  template <class Result, class... Parameters>
  void replace(std::string_view name, Result (*by)(Parameters...)) {
    replace(name, reinterpret_cast<std::uintptr_t>(by));
  }
  /// Gives copies a variable of their own that begins as those bytes, at most 8, in the place of
  /// the library's of that name; nothing where the program does not name the library's.
  void give(std::string_view name, std::span<const std::byte> value);
  /// The place of a variable of that name that is borrowed or given; 0: there is none.
  [[nodiscard]] std::uint64_t own_at(std::string_view name) const;
  /// The place of those that are given, and of all that a copy has: thread-local variables lie
  /// between the image and them.
  [[nodiscard]] std::uint64_t given_begin() const;
  [[nodiscard]] std::uint64_t all_bytes() const;

  /// Variables of an image of which each thread has its own: these bytes, then zeros.
  struct ThreadLocals {
    std::uint64_t begin = 0, first_bytes = 0, bytes = 0;
    std::size_t image = 0;
  };
  [[nodiscard]] std::uint64_t thread_locals_bytes() const;

  /// The memory areas that a copy makes in a process: its code, and what is written behind that.
  [[nodiscard]] std::uint64_t areas() const { return text.size() + images.size(); }

  std::uint64_t bytes = 0;         // of all images, whole pages
  std::vector<Image> images;       // the program first
  std::vector<std::size_t> order;  // in which constructors run: a library before its users
  std::vector<Text> text;
  std::vector<Data> data;
  std::vector<std::uint64_t> moved;  // where words lie that begin as distances from its start
  std::vector<Borrowed> borrowed;
  std::vector<Import> imports;
  std::vector<std::uint64_t> given;  // values, a word each
  std::vector<std::string> given_names;
  std::vector<ThreadLocals> thread_locals;  // of images that have any
  // Made of what the loader has bound: which functions it has chosen for the processor.
  std::uint64_t bound = 1;
};

/// Makes the plan of an image that has been bound and has not run yet. Throws Error(start) with a
/// sentence that tells what cannot be copied, and how such a program is to be compiled.
Plan plan(const Loaded& program);
/// Makes the plan of a program, the first image, and of libraries that are copied with it.
Plan plan(std::span<const Loaded> images);

}  // namespace armature::image
