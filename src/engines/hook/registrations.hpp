#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "base/file_descriptor.hpp"

// Memory that the cards of other processes may reach. A process keeps a table of it in a memory
// file. Who has a key maps that table and the memory file behind the memory, and looks into the
// table at each operation. So a key that is not valid any more, and a byte outside, are noticed.

namespace armature::transport {

/// Registered memory, in the table of the process that has registered it.
struct Registration {
  std::atomic<std::uint64_t> key;  // 0: none, or none any more
  std::uint64_t address;
  std::uint64_t bytes;
};

/// The table, mapped.
class RegistrationTable {
 public:
  static constexpr std::size_t count = std::size_t{1} << 16;

  /// Maps the file. entries() is nullptr where that cannot be done.
  explicit RegistrationTable(int fd);
  RegistrationTable(const RegistrationTable&) = delete;
  RegistrationTable& operator=(const RegistrationTable&) = delete;
  ~RegistrationTable();
  [[nodiscard]] Registration* entries() const { return entries_; }

 private:
  Registration* entries_ = nullptr;
};

/// The registrations of this process.
class Registrations {
 public:
  /// Throws Error(start).
  Registrations();

  /// Returns a key, packed; nothing where no single memory file lies behind all of the memory.
  [[nodiscard]] std::vector<std::byte> add(std::span<std::byte> memory);
  /// The key of memory that was added as that ends.
  void remove(std::span<std::byte> memory);
  /// All keys end.
  void revoke();

 private:
  base::FileDescriptor file_;
  RegistrationTable table_;
  std::size_t used_ = 0;
  std::vector<std::size_t> free_;  // of those
  std::uint64_t last_key_;
};

/// A key, as it travels.
struct PackedKey {
  std::uint64_t key;
  std::uint64_t offset;  // of the memory in its file
  std::uint32_t entry;   // of the table
  pid_t process;
  int table, file;  // numbers of that process's descriptors
};

/// Registered memory of another process, mapped here.
class Window {
 public:
  /// Maps nothing where the key is of no use here: first() is nullptr.
  Window(const PackedKey& key, const std::shared_ptr<const RegistrationTable>& table);
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  ~Window();

  [[nodiscard]] bool is_mapped() const { return first_ != nullptr; }
  /// Returns the place here of those bytes of the other process. Ends this process, saying why,
  /// where the key is not valid any more or they lie outside: no card does that, and its user must
  /// not ask.
  [[nodiscard]] std::byte* at(std::uint64_t address, std::size_t bytes) const;

 private:
  std::shared_ptr<const RegistrationTable> table_;
  const Registration* registration_ = nullptr;
  std::uint64_t key_ = 0;
  std::uint64_t address_ = 0;
  std::size_t bytes_ = 0;
  std::byte* first_ = nullptr;
};

/// The tables of other processes, each mapped when it is first asked for.
class PeerRegistrations {
 public:
  /// nullptr where it cannot be mapped.
  [[nodiscard]] std::shared_ptr<const RegistrationTable> of(const PackedKey& key);
  void forget() { tables_.clear(); }

 private:
  std::map<std::pair<pid_t, int>, std::shared_ptr<const RegistrationTable>> tables_;
};

}  // namespace armature::transport
