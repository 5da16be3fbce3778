// libfabric as a program uses it by itself: one-sided operations over a provider for reliable
// datagrams, default settings, both sides polling. FI_PROVIDER chooses another than `tcp;ofi_rxm`.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include "bench/native.hpp"

namespace armature::bench {
namespace {

void check(long status, const char* call) {
  if (status != 0)
    throw std::runtime_error(std::string(call) + ": " + fi_strerror(static_cast<int>(-status)));
}

/// Stands in front of an endpoint's name in an address.
struct Head {
  std::uint64_t key, memory;
};

class NativeFabric final : public Native {
 public:
  explicit NativeFabric(std::span<std::byte> memory) {
    choose();
    open();
    offer(memory);
  }

  [[nodiscard]] std::span<const std::byte> address() const override { return address_; }

  [[nodiscard]] const char* connect(std::span<const std::byte> other) override {
    Head head{};
    std::memcpy(&head, other.data(), sizeof head);
    if (fi_av_insert(addresses_, other.data() + sizeof head, 1, &other_, 0, nullptr) != 1)
      return "libfabric does not take the other's address";
    key_ = head.key;
    memory_ = (info_->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0 ? head.memory : 0;
    return nullptr;
  }

  void put(std::size_t offset, const void* from, std::size_t bytes, int count) override {
    const auto* at = static_cast<const std::byte*>(from);
    for (int i = 0; i < count; ++i, at += bytes, offset += bytes)
      begin(
          [&] {
            return fi_write(endpoint_, at, bytes, described(), other_, memory_ + offset, key_,
                            nullptr);
          },
          "fi_write");
    await();
  }
  void get(void* to, std::size_t offset, std::size_t bytes, int count) override {
    auto* at = static_cast<std::byte*>(to);
    for (int i = 0; i < count; ++i, at += bytes, offset += bytes)
      begin(
          [&] {
            return fi_read(endpoint_, at, bytes, described(), other_, memory_ + offset, key_,
                           nullptr);
          },
          "fi_read");
    await();
  }
  void release() override {
    begin([&] { return fi_send(endpoint_, own_, 1, described(), other_, nullptr); }, "fi_send");
    await();
  }
  void answer() override {
    begin([&] { return fi_recv(endpoint_, own_, 1, described(), FI_ADDR_UNSPEC, nullptr); },
          "fi_recv");
    await();
  }

 private:
  void choose() {
    fi_info* const hints = fi_allocinfo();
    if (hints == nullptr) throw std::runtime_error("fi_allocinfo: no memory");
    hints->ep_attr->type = FI_EP_RDM;
    hints->caps = FI_MSG | FI_RMA;
    hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
    hints->tx_attr->op_flags = FI_DELIVERY_COMPLETE;  // a put counts when its bytes are there
    if (std::getenv("FI_PROVIDER") == nullptr)
      hints->fabric_attr->prov_name = strdup("tcp;ofi_rxm");  // freed with the hints
    const int status =
        fi_getinfo(FI_VERSION(1, 14), "127.0.0.1", nullptr, FI_SOURCE, hints, &info_);
    fi_freeinfo(hints);
    check(status, "fi_getinfo");
  }

  void open() {
    check(fi_fabric(info_->fabric_attr, &fabric_, nullptr), "fi_fabric");
    check(fi_domain(fabric_, info_, &domain_, nullptr), "fi_domain");
    fi_av_attr table{};
    table.type = FI_AV_TABLE;
    check(fi_av_open(domain_, &table, &addresses_, nullptr), "fi_av_open");
    fi_cq_attr queue{};
    queue.format = FI_CQ_FORMAT_CONTEXT;
    check(fi_cq_open(domain_, &queue, &completions_, nullptr), "fi_cq_open");
    check(fi_endpoint(domain_, info_, &endpoint_, nullptr), "fi_endpoint");
    check(fi_ep_bind(endpoint_, &addresses_->fid, 0), "fi_ep_bind");
    check(fi_ep_bind(endpoint_, &completions_->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind");
    check(fi_enable(endpoint_), "fi_enable");
  }

  void offer(std::span<std::byte> memory) {
    own_ = memory.data() + memory.size() - 8;
    constexpr std::uint64_t access =
        FI_SEND | FI_RECV | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;
    check(fi_mr_reg(domain_, memory.data(), memory.size(), access, 0, 1, 0, &registered_, nullptr),
          "fi_mr_reg");
    const Head head{fi_mr_key(registered_), reinterpret_cast<std::uint64_t>(memory.data())};
    std::size_t bytes = 256;
    address_.resize(sizeof head + bytes);
    std::memcpy(address_.data(), &head, sizeof head);
    check(fi_getname(&endpoint_->fid, address_.data() + sizeof head, &bytes), "fi_getname");
    address_.resize(sizeof head + bytes);
  }

  [[nodiscard]] void* described() const { return fi_mr_desc(registered_); }

  template <class Call>
  void begin(Call call, const char* name) {
    for (;;) {
      const ssize_t status = call();
      if (status == 0) break;
      if (status != -FI_EAGAIN) check(status, name);
      take();
    }
    ++begun_;
  }
  void take() {
    fi_cq_entry entries[8];
    const ssize_t got = fi_cq_read(completions_, entries, 8);
    if (got > 0) begun_ -= static_cast<int>(got);
    if (got < 0 && got != -FI_EAGAIN) check(got, "fi_cq_read");
  }
  void await() {
    while (begun_ > 0) take();
  }

  fi_info* info_ = nullptr;
  fid_fabric* fabric_ = nullptr;
  fid_domain* domain_ = nullptr;
  fid_av* addresses_ = nullptr;
  fid_cq* completions_ = nullptr;
  fid_ep* endpoint_ = nullptr;
  fid_mr* registered_ = nullptr;
  std::byte* own_ = nullptr;  // a word of the registered memory, for messages
  std::vector<std::byte> address_;
  fi_addr_t other_ = FI_ADDR_UNSPEC;
  std::uint64_t key_ = 0, memory_ = 0;  // of the other
  int begun_ = 0;                       // and not completed
};

}  // namespace
}  // namespace armature::bench

extern "C" armature::bench::Native* armature_open_native(std::span<std::byte> memory, char* problem,
                                                         std::size_t problem_bytes) {
  try {
    return new armature::bench::NativeFabric(memory);
  } catch (const std::exception& error) {
    std::snprintf(problem, problem_bytes, "%s", error.what());
    return nullptr;
  }
}
