#include "bootstrap/pmix.hpp"

#include <dlfcn.h>
#include <pmix.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <optional>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/process_stat.hpp"
#include "bootstrap/mpi_state.hpp"
#include "bootstrap/patience.hpp"
#include "bootstrap/start_timeout.hpp"

namespace armature::bootstrap {
namespace {

using base::fail;

/// The functions that are used, found in whichever libpmix there is.
struct Library {
  decltype(&::PMIx_Init) init = nullptr;
  decltype(&::PMIx_Finalize) finalize = nullptr;
  decltype(&::PMIx_Put) put = nullptr;
  decltype(&::PMIx_Commit) commit = nullptr;
  decltype(&::PMIx_Fence_nb) fence_nb = nullptr;
  decltype(&::PMIx_Get) get = nullptr;
  decltype(&::PMIx_Abort) abort = nullptr;
  decltype(&::PMIx_Error_string) error_string = nullptr;

  /// False when one of them is missing.
  bool find(void* handle) {
    return find(handle, "PMIx_Init", init) && find(handle, "PMIx_Finalize", finalize) &&
           find(handle, "PMIx_Put", put) && find(handle, "PMIx_Commit", commit) &&
           find(handle, "PMIx_Fence_nb", fence_nb) && find(handle, "PMIx_Get", get) &&
           find(handle, "PMIx_Abort", abort) && find(handle, "PMIx_Error_string", error_string);
  }

 private:
  template <class Function>
  static bool find(void* handle, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(handle, name));
    return function != nullptr;
  }
};

constexpr const char* soname = "libpmix.so.2";  // of PMIx 3 to 6

/// The number of a process's parent; 0 when it cannot be known.
int parent_of(int pid) { return base::process_stat(pid).value_or(base::ProcessStat{}).parent; }

/// The library that the launcher itself uses: it may lie where the loader does not look. Between
/// the launcher and this process there may be scripts.
std::string library_of_launcher() {
  constexpr int generations = 8;
  for (int pid = getppid(), i = 0; pid > 1 && i < generations; pid = parent_of(pid), ++i) {
    std::ifstream maps(fmt::format("/proc/{}/maps", pid));
    for (std::string line; std::getline(maps, line);) {
      const auto path = line.find('/');
      if (path != std::string::npos && line.find("/libpmix.so", path) != std::string::npos)
        return line.substr(path);
    }
  }
  return {};
}

/// Takes the one that is in the process already, or that its Open MPI is going to load. Else it is
/// the launcher's, which understands it best: with another version, some launchers print warnings.
/// Never closed: its threads run to the end of the process.
void* load_library(std::string& why_not) {
  if (void* handle = dlopen(soname, RTLD_NOW | RTLD_NOLOAD)) return handle;
  const std::string path =
      mpi_symbol("ompi_mpi_comm_world") == nullptr ? library_of_launcher() : "";
  if (!path.empty())
    if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
  if (void* handle = dlopen(soname, RTLD_NOW | RTLD_LOCAL)) return handle;
  why_not = dlerror();
  return nullptr;
}

class Pmix final : public Exchange {
 public:
  Pmix(const Library& library, const pmix_proc_t& me) : library_(library), me_(me) {
    pmix_value_t* value = nullptr;
    pmix_proc_t all = me_;
    all.rank = PMIX_RANK_WILDCARD;
    require(library_.get(&all, PMIX_JOB_SIZE, nullptr, 0, &value), "give the job's size");
    processes_ = value->type == PMIX_UINT32 ? static_cast<int>(value->data.uint32) : 0;
    std::free(value);
    if (processes_ < 1 || process() >= processes_)
      fail(Errc::start, fmt::format("PMIx says that this is process {} of {}, which cannot be",
                                    process(), processes_));
    presence_.emplace(me_.nspace, process(), processes_, processes_here());
  }
  /// Counted: an MPI in this process says its own farewell.
  ~Pmix() override { library_.finalize(nullptr, 0); }

  [[nodiscard]] int process() const override { return static_cast<int>(me_.rank); }
  [[nodiscard]] int processes() const override { return processes_; }

  void put(std::string_view key, std::span<const std::byte> bytes) override {
    pmix_value_t value{};
    value.type = PMIX_BYTE_OBJECT;
    value.data.bo.bytes = reinterpret_cast<char*>(const_cast<std::byte*>(bytes.data()));
    value.data.bo.size = bytes.size();
    require(library_.put(PMIX_GLOBAL, name(key).c_str(), &value), "take a value");
  }

  void end_job(int status) override { library_.abort(status, "Armature ends the job", nullptr, 0); }

 protected:
  std::vector<std::byte> look_up(int process, std::string_view key) override {
    pmix_proc_t them = me_;
    them.rank = static_cast<pmix_rank_t>(process);
    pmix_value_t* value = nullptr;
    const pmix_status_t status = library_.get(&them, name(key).c_str(), nullptr, 0, &value);
    if (status != PMIX_SUCCESS || value->type != PMIX_BYTE_OBJECT)
      fail(Errc::start, fmt::format("process {} has not told PMIx its {}: {}", process, key,
                                    library_.error_string(status)));
    const auto* first = reinterpret_cast<const std::byte*>(value->data.bo.bytes);
    std::vector<std::byte> bytes(first, first + value->data.bo.size);
    std::free(value->data.bo.bytes);
    std::free(value);
    return bytes;
  }

  void wait_for_all(std::chrono::milliseconds patience) override {
    require(library_.commit(), "publish values");
    pmix_proc_t all = me_;
    all.rank = PMIX_RANK_WILDCARD;
    pmix_info_t collect{};
    std::strncpy(collect.key, PMIX_COLLECT_DATA, PMIX_MAX_KEYLEN);
    collect.value.type = PMIX_BOOL;
    collect.value.data.flag = true;
    // Left alone when given up: the answer may come yet.
    auto* arrival = new Arrival;
    const pmix_status_t begun = library_.fence_nb(&all, 1, &collect, 1, &Arrival::tell, arrival);
    // PMIx may have found that there is nobody to wait for.
    if (begun != PMIX_OPERATION_SUCCEEDED) {
      require(begun, "wait for the others");
      require(wait_for(*arrival, patience), "wait for the others");
    }
    delete arrival;
    presence_->all_have_come();
  }

 private:
  struct Arrival {
    std::mutex mutex;
    std::condition_variable changed;
    bool there = false;
    pmix_status_t status = PMIX_SUCCESS;

    static void tell(pmix_status_t status, void* arrival) {
      auto& self = *static_cast<Arrival*>(arrival);
      const std::lock_guard held(self.mutex);
      self.there = true;
      self.status = status;
      self.changed.notify_all();
    }
  };

  pmix_status_t wait_for(Arrival& arrival, std::chrono::milliseconds patience) const {
    std::unique_lock held(arrival.mutex);
    Patience waited(patience, processes_, &*presence_);
    while (!arrival.changed.wait_until(held, waited.look(), [&] { return arrival.there; })) {
    }
    return arrival.status;
  }

  /// "0,1,2"; empty where the launcher does not say.
  std::vector<int> processes_here() {
    pmix_proc_t all = me_;
    all.rank = PMIX_RANK_WILDCARD;
    pmix_value_t* value = nullptr;
    if (library_.get(&all, PMIX_LOCAL_PEERS, nullptr, 0, &value) != PMIX_SUCCESS) return {};
    std::vector<int> here;
    if (value->type == PMIX_STRING && value->data.string != nullptr) {
      std::istringstream text(value->data.string);
      for (std::string number; std::getline(text, number, ',');)
        here.push_back(std::atoi(number.c_str()));
      std::free(value->data.string);
    }
    std::free(value);
    return here;
  }

  void require(pmix_status_t status, const char* deed) const {
    if (status != PMIX_SUCCESS)
      fail(Errc::start,
           fmt::format("the launcher's PMIx does not {}: {}", deed, library_.error_string(status)));
  }

  static std::string name(std::string_view key) { return fmt::format("armature.{}", key); }

  Library library_;
  pmix_proc_t me_;
  int processes_ = 0;
  std::optional<Presence> presence_;
};

/// Asks PMIx 5 for values by message. Its store in shared memory must lie at an address that the
/// server has chosen. Where this process has something there, PMIx prints a page of errors, and
/// does not know who is on this node.
void decline_shared_store() {
  const char* stores = std::getenv("PMIX_GDS_MODULE");  // the server's
  if (stores != nullptr && std::string_view(stores).find("shmem2") != std::string_view::npos)
    setenv("PMIX_MCA_gds", "hash", 0);  // the user's choice stands
}

}  // namespace

std::unique_ptr<Exchange> open_pmix(std::string& why_not) {
  if (std::getenv("PMIX_RANK") == nullptr || std::getenv("PMIX_NAMESPACE") == nullptr) {
    why_not = "PMIx: no PMIX_RANK in the environment";
    return nullptr;
  }
  std::string problem;
  void* handle = load_library(problem);
  Library library;
  if (handle == nullptr || !library.find(handle)) {
    why_not = fmt::format("PMIx: {} cannot be loaded ({}); install it (Debian: libpmix2)", soname,
                          handle == nullptr ? problem : "it lacks functions");
    return nullptr;
  }
  decline_shared_store();
  pmix_proc_t me{};
  const pmix_status_t status = library.init(&me, nullptr, 0);
  if (status != PMIX_SUCCESS) {
    why_not = fmt::format("PMIx: the launcher does not answer: {}", library.error_string(status));
    return nullptr;
  }
  return std::make_unique<Pmix>(library, me);
}

}  // namespace armature::bootstrap
