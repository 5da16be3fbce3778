#include "engines/ofi/transfers.hpp"

#include <string>
#include <utility>

#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include "engines/ofi/peer.hpp"

namespace armature::transport {
namespace {

void unregister_local(OfiTransfer& transfer) {
  if (fid_mr* const local = std::exchange(transfer.local, nullptr)) (void)fi_close(&local->fid);
}

}  // namespace

/// The memory that a put takes its bytes from may be read-only.
OfiTransfer* OfiTransfers::make(OfiPeer& with, bool is_put, const OfiKey& key,
                                const Engine::Run& run, std::uint64_t token) {
  if (free_.empty()) {
    free_.push_back(all_.emplace_back(std::make_unique<OfiTransfer>()).get());
    free_.back()->is_transfer = true;
  }
  OfiTransfer& made = *free_.back();
  std::string problem;
  made.local = fabric_.register_own({run.here, run.bytes}, is_put ? FI_WRITE : FI_READ, problem);
  if (!problem.empty()) return nullptr;
  free_.pop_back();
  made.with = &with;
  made.is_put = is_put;
  made.key = key;
  made.run = run;
  made.token = token;
  return &made;
}

/// A put has ended when its bytes are there: by itself, libfabric would tell of it earlier.
long OfiTransfers::begin(OfiTransfer& transfer) const {
  const Engine::Run& run = transfer.run;
  void* described = transfer.local != nullptr ? fi_mr_desc(transfer.local) : nullptr;
  const iovec here{run.here, run.bytes};
  const fi_rma_iov there{run.there - transfer.key.base, run.bytes, transfer.key.key};
  const fi_msg_rma message{&here,
                           &described,
                           1,
                           transfer.with->address,
                           &there,
                           1,
                           static_cast<OfiOperation*>(&transfer),
                           0};
  return transfer.is_put
             ? fi_writemsg(fabric_.endpoint(), &message, FI_COMPLETION | FI_DELIVERY_COMPLETE)
             : fi_readmsg(fabric_.endpoint(), &message, FI_COMPLETION);
}

void OfiTransfers::end(OfiTransfer& transfer) {
  unregister_local(transfer);
  free_.push_back(&transfer);
}

void OfiTransfers::unregister() {
  for (const auto& transfer : all_) unregister_local(*transfer);
}

}  // namespace armature::transport
