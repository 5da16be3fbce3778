#pragma once

#include <rdma/fabric.h>

namespace armature::transport {

/// Something that libfabric was asked to do. Its address is the context by which libfabric tells of
/// its end.
struct OfiOperation {
  fi_context2 context{};     // libfabric's, in front
  bool is_transfer = false;  // an OfiTransfer; else an OfiBuffer
};

}  // namespace armature::transport
