#include "bootstrap/mpi_exchange.hpp"

#include <time.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "bootstrap/mpi_state.hpp"
#include "bootstrap/start_timeout.hpp"

namespace armature::bootstrap {
namespace {

using base::fail;

/// The handles that the two families call differently. In Open MPI a handle is the address of an
/// object, in MPICH a number that its binary interface fixes.
template <class Handle>
struct Handles {
  Handle world;
  Handle byte;
  void* status_ignore;
};

template <class Handle>
class MpiExchange final : public Exchange {
 public:
  MpiExchange(const Handles<Handle>& handles, const void* communicator) : handles_(handles) {
    if (communicator != nullptr) {
      Handle given;
      std::memcpy(&given, communicator, sizeof given);
      call<int(Handle, Handle*)>("MPI_Comm_dup", given, &handles_.world);
    }
    call<int(Handle, int*)>("MPI_Comm_rank", handles_.world, &process_);
    call<int(Handle, int*)>("MPI_Comm_size", handles_.world, &processes_);
  }

  [[nodiscard]] int process() const override { return process_; }
  [[nodiscard]] int processes() const override { return processes_; }

  void put(std::string_view key, std::span<const std::byte> value) override {
    append(static_cast<std::uint32_t>(key.size()));
    append(static_cast<std::uint32_t>(value.size()));
    const auto letters = std::as_bytes(std::span(key));
    unpublished_.insert(unpublished_.end(), letters.begin(), letters.end());
    unpublished_.insert(unpublished_.end(), value.begin(), value.end());
  }

  [[nodiscard]] bool is_in_memory() const override { return true; }

  void end_job(int status) override {
    // Only the thread that initialised an MPI may be allowed to call it; but this is the end.
    if (mpi_state() == MpiState::initialised)
      call<int(Handle, int)>("MPI_Abort", handles_.world, status);
  }

 protected:
  std::vector<std::byte> look_up(int process, std::string_view key) override {
    const auto found = published_.find({process, std::string(key)});
    if (found == published_.end())
      fail(Errc::start, fmt::format("process {} has not published its {}", process, key));
    return found->second;
  }

  /// All published since the last fence go to all.
  void wait_for_all(std::chrono::milliseconds patience) override {
    await_barrier(patience);
    const auto count = static_cast<std::size_t>(processes_);
    int mine = static_cast<int>(unpublished_.size());
    std::vector<int> bytes(count), starts(count);
    call<int(const void*, int, Handle, void*, int, Handle, Handle)>(
        "MPI_Allgather", &mine, int{sizeof mine}, handles_.byte, bytes.data(), int{sizeof mine},
        handles_.byte, handles_.world);
    int total = 0;
    for (std::size_t i = 0; i < count; ++i) starts[i] = std::exchange(total, total + bytes[i]);
    std::vector<std::byte> all(static_cast<std::size_t>(total));
    call<int(const void*, int, Handle, void*, const int*, const int*, Handle, Handle)>(
        "MPI_Allgatherv", unpublished_.data(), mine, handles_.byte, all.data(), bytes.data(),
        starts.data(), handles_.byte, handles_.world);
    for (std::size_t i = 0; i < count; ++i)
      keep(static_cast<int>(i), std::span(all).subspan(static_cast<std::size_t>(starts[i]),
                                                       static_cast<std::size_t>(bytes[i])));
    unpublished_.clear();
  }

 private:
  template <class Signature, class... Arguments>
  static void call(const char* name, Arguments... arguments) {
    const auto function = reinterpret_cast<Signature*>(mpi_symbol(name));
    if (function == nullptr)
      fail(Errc::start, fmt::format("the program's MPI has no {}: it is too old", name));
    if (const int error = function(arguments...); error != 0)
      fail(Errc::start, fmt::format("{} failed with error {}", name, error));
  }

  /// A barrier that can be given up.
  void await_barrier(std::chrono::milliseconds patience) {
    Handle request{};
    call<int(Handle, Handle*)>("MPI_Ibarrier", handles_.world, &request);
    const auto until = std::chrono::steady_clock::now() + patience;
    for (int done = 0; done == 0;) {
      call<int(Handle*, int*, void*)>("MPI_Test", &request, &done, handles_.status_ignore);
      if (done != 0) return;
      if (std::chrono::steady_clock::now() > until)
        fail(Errc::start,
             fmt::format("not all of the {} processes of MPI_COMM_WORLD join the job: waited {} s "
                         "({}=SECONDS to wait longer)",
                         processes_, start_timeout().count() / 1000, start_timeout_variable));
      const timespec interval{0, 50'000};
      nanosleep(&interval, nullptr);
    }
  }

  void append(std::uint32_t number) {
    const auto bytes = std::as_bytes(std::span(&number, 1));
    unpublished_.insert(unpublished_.end(), bytes.begin(), bytes.end());
  }

  void keep(int process, std::span<const std::byte> packed) {
    while (packed.size() >= 2 * sizeof(std::uint32_t)) {
      std::uint32_t lengths[2];
      std::memcpy(lengths, packed.data(), sizeof lengths);
      packed = packed.subspan(sizeof lengths);
      if (lengths[0] > packed.size() || lengths[1] > packed.size() - lengths[0])
        fail(Errc::start, fmt::format("process {} has published something damaged", process));
      const std::string key(reinterpret_cast<const char*>(packed.data()), lengths[0]);
      const auto value = packed.subspan(lengths[0], lengths[1]);
      published_[{process, key}].assign(value.begin(), value.end());
      packed = packed.subspan(lengths[0] + lengths[1]);
    }
  }

  Handles<Handle> handles_;
  int process_ = 0;
  int processes_ = 1;
  std::vector<std::byte> unpublished_;
  std::map<std::pair<int, std::string>, std::vector<std::byte>> published_;
};

enum class Family { none, open_mpi, mpich };

Family family(std::string& name) {
  const auto describe =
      reinterpret_cast<int (*)(char*, int*)>(mpi_symbol("MPI_Get_library_version"));
  char text[8192] = {};  // the longest of any MPI
  int length = 0;
  if (describe == nullptr || describe(text, &length) != 0) return Family::none;
  name = std::string(text).substr(0, std::string_view(text).find('\n'));
  if (name.starts_with("Open MPI") && mpi_symbol("ompi_mpi_comm_world") != nullptr &&
      mpi_symbol("ompi_mpi_byte") != nullptr)
    return Family::open_mpi;
  for (const char* compatible : {"MPICH", "Intel(R) MPI", "MVAPICH", "CRAY MPICH"})
    if (name.starts_with(compatible)) return Family::mpich;
  return Family::none;
}

Handles<void*> of_open_mpi() {
  return {mpi_symbol("ompi_mpi_comm_world"), mpi_symbol("ompi_mpi_byte"), nullptr};
}

/// The values that the initiative for a common binary interface of MPICH and its kin has fixed.
Handles<int> of_mpich() {
  return {0x44000000, 0x4c00010d, reinterpret_cast<void*>(std::uintptr_t{1})};
}

}  // namespace

std::unique_ptr<Exchange> open_mpi(std::string& why_not) { return open_mpi(nullptr, why_not); }

std::unique_ptr<Exchange> open_mpi(const void* communicator, std::string& why_not) {
  switch (mpi_state()) {
    case MpiState::not_initialised:
      why_not =
          "an MPI in this program: there is none, or MPI_Init was not called before (a static MPI "
          "library is seen when the program is linked with -rdynamic)";
      return nullptr;
    case MpiState::finalised:
      why_not = "an MPI in this program: MPI_Finalize was called already";
      return nullptr;
    case MpiState::initialised:
      break;
  }
  std::string name = "which does not say what it is";
  switch (family(name)) {
    case Family::open_mpi:
      return std::make_unique<MpiExchange<void*>>(of_open_mpi(), communicator);
    case Family::mpich:
      return std::make_unique<MpiExchange<int>>(of_mpich(), communicator);
    case Family::none:
      break;
  }
  why_not = fmt::format("an MPI in this program: it is one that Armature does not know ({})", name);
  return nullptr;
}

int mpi_handle_bytes() {
  if (mpi_state() != MpiState::initialised) return 0;
  std::string ignored;
  switch (family(ignored)) {
    case Family::open_mpi:
      return sizeof(void*);
    case Family::mpich:
      return sizeof(int);
    case Family::none:
      break;
  }
  return 0;
}

int mpi_processes() {
  std::string ignored;
  const auto exchange = open_mpi(ignored);
  return exchange != nullptr ? exchange->processes() : 0;
}

}  // namespace armature::bootstrap
