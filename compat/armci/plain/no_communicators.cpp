#include "groups.hpp"

namespace armci {

const Communicators* const communicators = nullptr;

}  // namespace armci
