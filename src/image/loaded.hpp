#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace armature::image {

inline constexpr std::uint64_t page = 4096;
constexpr std::uint64_t page_below(std::uint64_t at) { return at / page * page; }
constexpr std::uint64_t page_above(std::uint64_t at) { return page_below(at + page - 1); }

/// A program or library as the loader has left it in memory.
struct Loaded {
  /// The program of this process.
  static Loaded program();
  /// The program and all libraries of this process, the program first.
  static std::vector<Loaded> all();

  std::uintptr_t base = 0;  // what the loader has added to the addresses of its file
  std::span<const ElfW(Phdr)> headers;
  std::byte* thread_locals = nullptr;  // the calling thread's; nullptr: it has none
  const char* path = "";               // a library's
  int file = -1;  // -1: no code of it has run, else its first data are read from there

  [[nodiscard]] const ElfW(Phdr) * header(std::uint32_t type) const;
  /// The part whose memory holds that address of the file; nullptr: none.
  [[nodiscard]] const ElfW(Phdr) * part_of(std::uint64_t address) const;
  template <class Entry>
  [[nodiscard]] std::span<const Entry> table(std::uint64_t address, std::uint64_t bytes) const {
    return {reinterpret_cast<const Entry*>(base + address), bytes / sizeof(Entry)};
  }
  /// The name of its file without folders; empty: the program.
  [[nodiscard]] std::string_view name() const;
  [[nodiscard]] std::uint64_t word(std::uint64_t address) const {
    return *reinterpret_cast<const std::uint64_t*>(base + address);
  }
};

/// The dynamic table of an image: addresses of the file, and sizes in bytes.
class Dynamic {
 public:
  /// `image` has such a table.
  explicit Dynamic(const Loaded& image);

  [[nodiscard]] bool has(std::int64_t tag) const;
  /// The value of an entry; 0: there is none.
  [[nodiscard]] std::uint64_t value(std::int64_t tag) const;
  /// The address that an entry names, as the file has it: the loader changes some.
  [[nodiscard]] std::uint64_t address(std::int64_t tag) const;
  template <class Entry>
  [[nodiscard]] std::span<const Entry> table(std::int64_t start, std::int64_t bytes) const {
    return has(start) ? image_.table<Entry>(address(start), value(bytes))
                      : std::span<const Entry>{};
  }

  struct Symbol {
    const ElfW(Sym) * entry;
    std::string_view name;
  };
  /// The symbol that a relocation names.
  [[nodiscard]] Symbol symbol(const ElfW(Rela) & relocation) const;
  /// Whether the image's own definition of the symbol is meant, though another image may have the
  /// same name.
  [[nodiscard]] bool binds_to_itself(const ElfW(Sym) & symbol) const;
  /// The libraries that the image is linked with, as it names them.
  [[nodiscard]] std::vector<std::string_view> needed() const;

 private:
  Loaded image_;
  std::span<const ElfW(Dyn)> entries_;
};

}  // namespace armature::image
