#include "rmi/circle.hpp"
#include "rmi/far_replies.hpp"
#include "rmi/records.hpp"

namespace armature::rmi {
namespace {

void serve(transport::Links& links) {
  install_far_replies(links);
  install_circles(links);
}

}  // namespace

const transport::Service service{
    .name = "rmi", .records_count = static_cast<std::uint8_t>(Kind::count), .handlers = serve};

}  // namespace armature::rmi
