#include "wait/all_of.hpp"

#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

#include "armature/detail/future_state.hpp"
#include "armature/error.hpp"
#include "wait/request.hpp"

namespace armature::wait {
namespace {

struct AllOf final : armature::detail::Request {
  explicit AllOf(std::vector<Handle> of) : operations(std::move(of)) {
    is_complete = [](Request& request) { return static_cast<AllOf&>(request).are_complete(); };
    check = [](Request& request) {
      if (const auto& first = static_cast<AllOf&>(request).failure) std::rethrow_exception(first);
    };
    release = [](Request& request) { delete &static_cast<AllOf&>(request); };
  }

  [[nodiscard]] bool are_complete() {
    while (!operations.empty()) {
      try {
        std::uint64_t nothing = 0;
        if (!armature::detail::look_at_operation(operations.back(), nothing)) return false;
      } catch (const Error&) {  // told when all are over
        failure = std::current_exception();
      }
      operations.pop_back();
    }
    return true;
  }

  std::vector<Handle> operations;
  std::exception_ptr failure;
};

}  // namespace

armature::detail::Request* all_of(std::vector<Handle> operations) {
  auto all = std::make_unique<AllOf>(std::move(operations));
  if (all->operations.empty()) return nullptr;
  return all.release();
}

}  // namespace armature::wait
