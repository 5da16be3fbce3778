#include "engines/hook/registrations.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "engines/hook/memory_file.hpp"

namespace armature::transport {
namespace {

constexpr std::size_t table_bytes = RegistrationTable::count * sizeof(Registration);

base::FileDescriptor new_table() {
  base::FileDescriptor file(memfd_create("armature-card", MFD_CLOEXEC));
  if (!file || ftruncate(file.get(), table_bytes) != 0)
    base::fail(Errc::start,
               fmt::format("ARMATURE_NET_HOOK: a table of keys: {}", base::system_text(errno)));
  return file;
}

/// A file that another process has open under that number.
base::FileDescriptor open_of(pid_t process, int number) {
  const std::string path = fmt::format("/proc/{}/fd/{}", process, number);
  return base::FileDescriptor(open(path.c_str(), O_RDWR | O_CLOEXEC));
}

[[noreturn]] void refuse(const char* why, std::uint64_t address, std::size_t bytes) {
  std::fputs(fmt::format("armature: the card (ARMATURE_NET_HOOK) was asked for {} bytes at {:#x}: "
                         "{}\n",
                         bytes, address, why)
                 .c_str(),
             stderr);
  std::abort();
}

}  // namespace

RegistrationTable::RegistrationTable(int fd) {
  void* const pages = mmap(nullptr, table_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (pages != MAP_FAILED) entries_ = static_cast<Registration*>(pages);
}

RegistrationTable::~RegistrationTable() {
  if (entries_ != nullptr) munmap(entries_, table_bytes);
}

Registrations::Registrations() : file_(new_table()), table_(file_.get()) {
  if (table_.entries() == nullptr || getrandom(&last_key_, sizeof last_key_, 0) != sizeof last_key_)
    base::fail(Errc::start,
               fmt::format("ARMATURE_NET_HOOK: a table of keys: {}", base::system_text(errno)));
}

std::vector<std::byte> Registrations::add(std::span<std::byte> memory) {
  if (used_ == RegistrationTable::count && free_.empty()) return {};
  const auto behind = memory_file_behind(memory);
  if (!behind) return {};
  const std::size_t number = free_.empty() ? used_++ : free_.back();
  if (!free_.empty()) free_.pop_back();
  Registration& entry = table_.entries()[number];
  entry.address = reinterpret_cast<std::uint64_t>(memory.data());
  entry.bytes = memory.size();
  last_key_ += last_key_ + 1 == 0 ? 2 : 1;
  // Release: who finds the key finds the rest.
  entry.key.store(last_key_, std::memory_order_release);
  const PackedKey key{.key = last_key_,
                      .offset = behind->offset,
                      .entry = static_cast<std::uint32_t>(number),
                      .process = getpid(),
                      .table = file_.get(),
                      .file = behind->descriptor};
  const auto bytes = std::as_bytes(std::span(&key, 1));
  return {bytes.begin(), bytes.end()};
}

void Registrations::remove(std::span<std::byte> memory) {
  for (std::size_t i = 0; i < used_; ++i) {
    Registration& entry = table_.entries()[i];
    if (entry.address != reinterpret_cast<std::uint64_t>(memory.data()) || entry.key == 0) continue;
    entry.key.store(0, std::memory_order_release);
    free_.push_back(i);
  }
}

void Registrations::revoke() {
  for (std::size_t i = 0; i < used_; ++i)
    table_.entries()[i].key.store(0, std::memory_order_release);
  used_ = 0;
  free_.clear();
}

std::shared_ptr<const RegistrationTable> PeerRegistrations::of(const PackedKey& key) {
  auto& known = tables_[{key.process, key.table}];
  if (known != nullptr) return known;
  const base::FileDescriptor file = open_of(key.process, key.table);
  if (!file || lseek(file.get(), 0, SEEK_END) != static_cast<off_t>(table_bytes)) return nullptr;
  auto table = std::make_shared<const RegistrationTable>(file.get());
  if (table->entries() != nullptr) known = std::move(table);
  return known;
}

Window::Window(const PackedKey& key, const std::shared_ptr<const RegistrationTable>& table)
    : table_(table), key_(key.key) {
  if (table == nullptr || key.entry >= RegistrationTable::count) return;
  registration_ = table->entries() + key.entry;
  // A process of another machine may have the same number: its keys are not here.
  if (registration_->key.load(std::memory_order_acquire) != key_) return;
  address_ = registration_->address;
  bytes_ = registration_->bytes;
  const base::FileDescriptor file = open_of(key.process, key.file);
  const off_t end = file ? lseek(file.get(), 0, SEEK_END) : 0;
  if (static_cast<std::uint64_t>(end) < key.offset + bytes_) return;
  void* const pages = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(),
                           static_cast<off_t>(key.offset));
  if (pages != MAP_FAILED) first_ = static_cast<std::byte*>(pages);
}

Window::~Window() {
  if (first_ != nullptr) munmap(first_, bytes_);
}

std::byte* Window::at(std::uint64_t address, std::size_t bytes) const {
  if (registration_->key.load(std::memory_order_acquire) != key_)
    refuse("its key is not valid any more", address, bytes);
  const std::uint64_t offset = address - address_;
  if (offset > bytes_ || bytes > bytes_ - offset)
    refuse("that is not all in the memory that was registered", address, bytes);
  return first_ + offset;
}

}  // namespace armature::transport
