#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ucp/api/ucp.h>

#include "engines/engine.hpp"
#include "engines/ucx/dropped_endpoints.hpp"
#include "engines/ucx/remote_memory.hpp"
#include "engines/ucx/worker.hpp"

// The engine over UCX. Of UCX it uses active messages, sent eagerly: on one connection they arrive
// in order, and a message that a connection takes as one piece is handed to us where it was
// received. Its one-sided operations are used where the hardware carries them out, or where they
// are asked for: over TCP they stall while the target computes, and cost twice a message
// (docs/decisions/network-engine.md).

namespace armature::transport {

/// The part of the engine that has to do with memory which is registered with UCX.
class UcxMemoryEngine : public Engine {
 public:
  [[nodiscard]] bool is_one_sided() const override { return worker_.is_one_sided(); }
  [[nodiscard]] bool pins_memory() const override {
    return worker_.is_one_sided() && worker_.has_rdma();
  }
  [[nodiscard]] std::vector<std::byte> register_memory(std::span<std::byte> memory) override {
    return memory_.register_here(memory);
  }
  void unregister_memory(std::span<std::byte> memory) override { memory_.unregister(memory); }
  void forget_rkey(void* rkey) override { memory_.destroy_key(static_cast<ucp_rkey_h>(rkey)); }
  void forget_memory() override {
    memory_.destroy_keys();
    memory_.unregister_all();
  }
  /// Cards write and read aligned words as one. What UCX does by messages may not.
  [[nodiscard]] bool has_words() const override { return pins_memory(); }

 protected:
  UcxWorker worker_;
  UcxRemoteMemory memory_{worker_};
};

class Ucx final : public UcxMemoryEngine {
 public:
  explicit Ucx(Sink& sink) : sink_(sink) { parts_max = 256; }
  Ucx(const Ucx&) = delete;
  Ucx& operator=(const Ucx&) = delete;
  ~Ucx() override;

  /// Returns an error text, or "".
  [[nodiscard]] std::string open(const EngineOptions& options);

  [[nodiscard]] const char* description() const override { return worker_.description(); }
  [[nodiscard]] std::span<const std::byte> address() const override { return worker_.address(); }
  [[nodiscard]] const char* connect(int peer, std::span<const std::byte> address) override;
  [[nodiscard]] bool send(int peer, std::span<const std::byte> head,
                          std::span<const std::byte> body, std::uint64_t token) override;
  [[nodiscard]] bool send_parts(int peer, std::span<const std::byte> head, Parts body,
                                std::uint64_t token) override;
  void drop(int peer) override;
  bool progress() override {
    dropped_.close_due();
    for (int round = 0; round < rounds_max; ++round)
      if (ucp_worker_progress(worker_.worker()) == 0) return round > 0;
    // A thread that sleeps on the descriptor is to continue where this has stopped: bytes that UCX
    // has already taken from the sockets do not make it readable.
    if (std::exchange(is_armed_, false)) (void)ucp_worker_signal(worker_.worker());
    return true;
  }
  [[nodiscard]] int descriptor() const override { return worker_.descriptor(); }
  [[nodiscard]] bool arm() override {
    return is_armed_ = ucp_worker_arm(worker_.worker()) == UCS_OK;
  }

  [[nodiscard]] std::vector<Transport> transports(int peer) const override {
    return worker_.transports(peers_[static_cast<std::size_t>(peer)]->endpoint);
  }

  [[nodiscard]] void* unpack_rkey(int peer, std::span<const std::byte> packed) override;
  [[nodiscard]] bool put(int peer, void* rkey, Runs runs, std::uint64_t token) override;
  [[nodiscard]] bool get(int peer, void* rkey, Runs runs, std::uint64_t token) override;

 private:
  static constexpr unsigned message_id = 7;
  // While a peer keeps sending there is always something: whoever calls has more to do than to
  // receive, such as to acknowledge, to show that it lives, and to let others use the links.
  static constexpr int rounds_max = 16;

  struct Peer {
    Ucx* engine = nullptr;
    int number = -1;
    ucp_ep_h endpoint = nullptr;
    // For one-sided operations, where the first has none: UCX has no endpoint over shared memory
    // that tells of the other's death.
    ucp_ep_h transfers = nullptr;
    bool lost = false;
    bool noticed = false;  // by UCX itself

    [[nodiscard]] ucp_ep_h for_transfers() const {
      return transfers != nullptr ? transfers : endpoint;
    }
  };
  void lose(Peer& peer, ucs_status_t why);
  void tell(std::uint64_t token, std::size_t times) {
    for (; times > 0; --times) sink_.sent(token);
  }

  static ucs_status_t on_message(void* me, const void* head, std::size_t head_bytes, void* data,
                                 std::size_t bytes, const ucp_am_recv_param_t* param) {
    auto& engine = *static_cast<Ucx*>(me);
    const auto* const first = static_cast<const std::byte*>(head);
    if ((param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0)
      return engine.fetch({first, head_bytes}, data, bytes);
    engine.sink_.received({first, head_bytes}, {static_cast<const std::byte*>(data), bytes});
    return UCS_OK;
  }

  /// A message that is fetched, because a program has asked UCX for rendezvous.
  struct Fetching {
    Ucx* engine;
    std::vector<std::byte> head, body;
  };
  ucs_status_t fetch(std::span<const std::byte> head, void* announced, std::size_t bytes);
  static void on_fetched(void* request, ucs_status_t status, std::size_t, void* fetching) {
    const std::unique_ptr<Fetching> done(static_cast<Fetching*>(fetching));
    if (request != nullptr) ucp_request_free(request);
    if (status == UCS_OK) done->engine->sink_.received(done->head, done->body);
  }
  static void on_failure(void* peer, ucp_ep_h, ucs_status_t why) {
    auto* lost = static_cast<Peer*>(peer);
    lost->noticed = true;
    lost->engine->lose(*lost, why);
  }

  /// One send under way.
  struct Sending {
    Ucx* engine;
    std::uint64_t token;
    std::size_t times = 1;  // that it is told
    std::vector<ucp_dt_iov_t> parts;

    [[nodiscard]] ucp_request_param_t param() {
      ucp_request_param_t told{};
      told.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
      told.cb.send = &on_sent;
      told.user_data = this;
      return told;
    }
    static void on_sent(void* request, ucs_status_t, void* sending) {
      std::unique_ptr<Sending> done(static_cast<Sending*>(sending));
      ucp_request_free(request);
      Ucx& engine = *done->engine;
      const std::uint64_t token = done->token;
      const std::size_t times = done->times;
      engine.spare_.push_back(std::move(done));
      engine.tell(token, times);
    }
  };
  /// Returns one that has been before, if there is any: a send allocates nothing of its own.
  [[nodiscard]] std::unique_ptr<Sending> sending(std::uint64_t token) {
    if (spare_.empty()) return std::make_unique<Sending>(Sending{this, token});
    std::unique_ptr<Sending> one = std::move(spare_.back());
    spare_.pop_back();
    one->token = token;
    one->times = 1;
    return one;
  }
  [[nodiscard]] bool send_message(Peer& to, std::span<const std::byte> head, const void* body,
                                  std::size_t count, ucp_request_param_t param,
                                  std::unique_ptr<Sending>& sending);
  [[nodiscard]] bool is_under_way(Peer& to, ucs_status_ptr_t request,
                                  std::unique_ptr<Sending>& sending);

  Sink& sink_;
  std::string problem_;
  std::vector<std::unique_ptr<Peer>> peers_;
  std::vector<std::unique_ptr<Sending>> spare_;
  DroppedEndpoints dropped_;
  bool is_armed_ = false;
};

}  // namespace armature::transport
