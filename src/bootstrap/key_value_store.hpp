#pragma once

#include <atomic>
#include <cstdint>

#include "base/file_descriptor.hpp"
#include "bootstrap/exchange.hpp"

namespace armature::bootstrap {

/// The key-value store that our own launcher serves, for nodes that it pretends on one machine. It
/// is a memory file that all processes of the job map, whatever node they are of.
class KeyValueStore : public Exchange {
 public:
  /// Called by the launcher: makes the file for the processes that begin the job, which wait for
  /// each other, with room for others that come later. Throws Error(start).
  static base::FileDescriptor create(int processes, int places);
  /// Called by the launcher: that process has died; one that still waits for it is to end. Does
  /// nothing when `file` is -1.
  static void lose(int file, int process);
  /// Called by a process. Throws Error(start).
  KeyValueStore(const base::FileDescriptor& file, int process);
  ~KeyValueStore() override;

  [[nodiscard]] int process() const override { return process_; }
  [[nodiscard]] int processes() const override;
  void put(std::string_view key, std::span<const std::byte> value) override;
  [[nodiscard]] bool is_in_memory() const override { return true; }

 protected:
  [[nodiscard]] std::vector<std::byte> look_up(int process, std::string_view key) override;
  void wait_for_all(std::chrono::milliseconds patience) override;

 private:
  struct Head;
  struct Page;
  [[nodiscard]] Page& page(int process) const;

  Head* head_ = nullptr;
  int process_;
};

}  // namespace armature::bootstrap
