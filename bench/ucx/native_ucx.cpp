// UCX as a program uses it by itself: the same interface (loopback TCP) as ours is measured over,
// default settings otherwise, both sides polling.
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <ucp/api/ucp.h>
#include <ucs/config/global_opts.h>

#include "bench/native.hpp"

extern "C" void ucs_debug_disable_signals();

namespace armature::bench {
namespace {

constexpr unsigned question_id = 3, answer_id = 4, release_id = 5;

void check(ucs_status_t status, const char* call) {
  if (status != UCS_OK)
    throw std::runtime_error(std::string(call) + ": " + ucs_status_string(status));
}

/// Precedes an address that is passed on: how long its two parts are, and where the memory lies.
struct Head {
  std::uint64_t worker_bytes, key_bytes, memory;
};

class NativeUcx final : public Native {
 public:
  explicit NativeUcx(std::span<std::byte> memory) {
    ucs_global_opts_set_value("LOG_LEVEL", "fatal");
    ucs_debug_disable_signals();
    open();
    offer(memory);
  }
  NativeUcx(const NativeUcx&) = delete;
  NativeUcx& operator=(const NativeUcx&) = delete;
  ~NativeUcx() override {
    if (key_ != nullptr) ucp_rkey_destroy(key_);
    if (mapped_ != nullptr) ucp_mem_unmap(context_, mapped_);
    if (worker_ != nullptr) ucp_worker_destroy(worker_);
    if (context_ != nullptr) ucp_cleanup(context_);
  }

  [[nodiscard]] std::span<const std::byte> address() const override { return address_; }

  [[nodiscard]] const char* connect(std::span<const std::byte> other) override {
    try {
      Head head{};
      std::memcpy(&head, other.data(), sizeof head);
      ucp_ep_params_t params{};
      params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
      params.address = reinterpret_cast<const ucp_address_t*>(other.data() + sizeof head);
      check(ucp_ep_create(worker_, &params, &endpoint_), "ucp_ep_create");
      check(ucp_ep_rkey_unpack(endpoint_, other.data() + sizeof head + head.worker_bytes, &key_),
            "ucp_ep_rkey_unpack");
      memory_ = head.memory;
    } catch (const std::exception& error) {
      problem_ = error.what();
      return problem_.c_str();
    }
    return nullptr;
  }

  void put(std::size_t offset, const void* from, std::size_t bytes, int count) override {
    const ucp_request_param_t param{};
    for (std::size_t at = 0; count-- > 0; at += bytes)
      pending_.push_back(ucp_put_nbx(endpoint_, static_cast<const std::byte*>(from) + at, bytes,
                                     memory_ + offset + at, key_, &param));
    finish_all("ucp_put_nbx");
    finish(ucp_ep_flush_nbx(endpoint_, &param), "ucp_ep_flush_nbx");
  }
  void get(void* to, std::size_t offset, std::size_t bytes, int count) override {
    const ucp_request_param_t param{};
    for (std::size_t at = 0; count-- > 0; at += bytes)
      pending_.push_back(ucp_get_nbx(endpoint_, static_cast<std::byte*>(to) + at, bytes,
                                     memory_ + offset + at, key_, &param));
    finish_all("ucp_get_nbx");
  }
  void question() override {
    const std::uint64_t before = answers_;
    send(question_id);
    while (answers_ == before) ucp_worker_progress(worker_);
  }
  void release() override { send(release_id); }
  void answer() override {
    while (!released_) ucp_worker_progress(worker_);
    released_ = false;
  }

 private:
  void open() {
    ucp_config_t* config = nullptr;
    check(ucp_config_read(nullptr, nullptr, &config), "ucp_config_read");
    (void)ucp_config_modify(config, "NET_DEVICES", "lo");
    (void)ucp_config_modify(config, "TLS", "tcp");
    ucp_params_t params{};
    params.field_mask = UCP_PARAM_FIELD_FEATURES;
    params.features = UCP_FEATURE_AM | UCP_FEATURE_RMA;
    const ucs_status_t status = ucp_init(&params, config, &context_);
    ucp_config_release(config);
    check(status, "ucp_init");
    ucp_worker_params_t worker{};
    worker.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
    worker.thread_mode = UCS_THREAD_MODE_SINGLE;
    check(ucp_worker_create(context_, &worker, &worker_), "ucp_worker_create");
    set_handler(question_id, &on_question);
    set_handler(answer_id, &on_answer);
    set_handler(release_id, &on_release);
  }

  void set_handler(unsigned id, ucp_am_recv_callback_t call) {
    ucp_am_handler_param_t handler{};
    handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
                         UCP_AM_HANDLER_PARAM_FIELD_ARG;
    handler.id = id;
    handler.arg = this;
    handler.cb = call;
    check(ucp_worker_set_am_recv_handler(worker_, &handler), "ucp_worker_set_am_recv_handler");
  }

  void offer(std::span<std::byte> memory) {
    ucp_mem_map_params_t map{};
    map.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH;
    map.address = memory.data();
    map.length = memory.size();
    check(ucp_mem_map(context_, &map, &mapped_), "ucp_mem_map");
    void* key = nullptr;
    ucp_address_t* worker = nullptr;
    Head head{0, 0, reinterpret_cast<std::uint64_t>(memory.data())};
    check(ucp_rkey_pack(context_, mapped_, &key, &head.key_bytes), "ucp_rkey_pack");
    check(ucp_worker_get_address(worker_, &worker, &head.worker_bytes), "ucp_worker_get_address");
    const auto append = [&](const void* from, std::size_t bytes) {
      const auto* const at = static_cast<const std::byte*>(from);
      address_.insert(address_.end(), at, at + bytes);
    };
    append(&head, sizeof head);
    append(worker, head.worker_bytes);
    append(key, head.key_bytes);
    ucp_worker_release_address(worker_, worker);
    ucp_rkey_buffer_release(key);
  }

  void finish(ucs_status_ptr_t request, const char* call) const {
    if (UCS_PTR_IS_ERR(request)) check(UCS_PTR_STATUS(request), call);
    if (!UCS_PTR_IS_PTR(request)) return;
    while (ucp_request_check_status(request) == UCS_INPROGRESS) ucp_worker_progress(worker_);
    ucp_request_free(request);
  }

  void finish_all(const char* call) {
    for (const ucs_status_ptr_t request : pending_) finish(request, call);
    pending_.clear();
  }

  /// The word must stay where it is until it is sent.
  void send(unsigned id) {
    const ucp_request_param_t param{};
    finish(ucp_am_send_nbx(endpoint_, id, nullptr, 0, &word_, sizeof word_, &param),
           "ucp_am_send_nbx");
  }

  using Received = const ucp_am_recv_param_t*;
  /// Answers from inside of progress(), which must not be called again: a word leaves at once, or
  /// is kept by UCX until it does.
  static ucs_status_t on_question(void* native, const void*, std::size_t, void*, std::size_t,
                                  Received) {
    auto& me = *static_cast<NativeUcx*>(native);
    const ucp_request_param_t param{};
    const ucs_status_ptr_t request =
        ucp_am_send_nbx(me.endpoint_, answer_id, nullptr, 0, &me.word_, sizeof me.word_, &param);
    if (UCS_PTR_IS_PTR(request)) ucp_request_free(request);
    return UCS_OK;
  }
  static ucs_status_t on_answer(void* native, const void*, std::size_t, void*, std::size_t,
                                Received) {
    ++static_cast<NativeUcx*>(native)->answers_;
    return UCS_OK;
  }
  static ucs_status_t on_release(void* native, const void*, std::size_t, void*, std::size_t,
                                 Received) {
    static_cast<NativeUcx*>(native)->released_ = true;
    return UCS_OK;
  }

  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  ucp_ep_h endpoint_ = nullptr;
  ucp_rkey_h key_ = nullptr;
  ucp_mem_h mapped_ = nullptr;
  std::vector<ucs_status_ptr_t> pending_;
  std::uint64_t memory_ = 0;  // of the other
  std::vector<std::byte> address_;
  std::string problem_;
  std::uint64_t word_ = 0;
  std::uint64_t answers_ = 0;
  bool released_ = false;
};

}  // namespace
}  // namespace armature::bench

extern "C" __attribute__((visibility("default"))) armature::bench::Native* armature_open_native(
    std::span<std::byte> memory, char* problem, std::size_t problem_bytes) {
  try {
    return new armature::bench::NativeUcx(memory);
  } catch (const std::exception& error) {
    std::snprintf(problem, problem_bytes, "%s", error.what());
    return nullptr;
  }
}
