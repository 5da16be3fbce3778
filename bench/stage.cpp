#include "bench/stage.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

namespace armature::bench {

Stage::Stage(World& world, Settings settings) : world_(world), settings_(std::move(settings)) {
  if (!same_node(0, world_.size() - 1)) return;  // where rows are about what all do together
  // A Channel is no plain data, so it is made by hand in plain memory.
  channel_words_ = world_.allocate<std::byte>(sizeof(Channel));
  if (world_.rank() == 1) new (channel_words_.local().data()) Channel;
  world_.barrier();
  channel_ = std::launder(reinterpret_cast<Channel*>(channel_words_.on(1).direct()));
  if (!settings_.memory) return;

  heap_ = world_.allocate<std::byte>(heap_bytes);
  std::fill_n(reinterpret_cast<double*>(heap_.local().data()), heap_bytes / sizeof(double), 0.0);

  // Begins half a page from where the target lies in its page. Where both lie nearly alike, the
  // processor takes loads for dependent on stores before them, and the rows would be about that.
  constexpr std::size_t page = 4096;
  local_.reset(static_cast<std::byte*>(std::aligned_alloc(page, heap_bytes + 2 * page)));
  if (!local_) throw std::bad_alloc();
  local_bytes_ =
      local_.get() + (reinterpret_cast<std::uintptr_t>(remote_plain()) + page / 2) % page;
  std::fill_n(doubles(), heap_bytes / sizeof(double), 1.0);
  world_.barrier();
}

void Stage::report(const Subject& subject, const Timing& timing) const {
  Row row{.op = subject.op, .bytes = subject.bytes, .ns = timing.ns / subject.per, .limit_ns = {}};
  if (timing.limit_ns) row.limit_ns = *timing.limit_ns / subject.per;
  settings_.report(row);
}

void Stage::compute() const {
  constexpr double patience_ns = 3e9;
  const double end = now_ns() + patience_ns;
  std::uint64_t x = 1;
  while (channel_->stop.load(std::memory_order_acquire) == 0 && now_ns() < end) {
    for (int i = 0; i < 200; ++i) {
      x = x * 6364136223846793005U + 1;
      keep(x);
    }
  }
}

}  // namespace armature::bench
