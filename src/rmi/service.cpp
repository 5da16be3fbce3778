#include "rmi/circle.hpp"
#include "rmi/far_replies.hpp"
#include "rmi/records.hpp"

namespace armature::rmi {
namespace {

void handle_records(transport::Links& links) {
  install_far_replies(links);
  install_circles(links);
}

}  // namespace

const transport::Service service{.name = "rmi",
                                 .records_count = static_cast<std::uint8_t>(Kind::count),
                                 .handlers = handle_records};

}  // namespace armature::rmi
