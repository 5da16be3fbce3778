#include "perform.hpp"

#include <array>
#include <complex>
#include <cstring>

namespace property {
namespace {

using armature::global_ptr;

/// Calls f with a null pointer of the accumulate's element type.
template <class F>
void with_type(Type type, F f) {
  switch (type) {
    case Type::int32:
      return f(static_cast<std::int32_t*>(nullptr));
    case Type::int64:
      return f(static_cast<std::int64_t*>(nullptr));
    case Type::float32:
      return f(static_cast<float*>(nullptr));
    case Type::float64:
      return f(static_cast<double*>(nullptr));
    case Type::complex64:
      return f(static_cast<std::complex<float>*>(nullptr));
    case Type::complex128:
      return f(static_cast<std::complex<double>*>(nullptr));
  }
}

/// Calls f with a null pointer of a type of that size, a word where there is one.
template <class F>
void with_size(std::size_t bytes, F f) {
  switch (bytes) {
    case 1:
      return f(static_cast<std::uint8_t*>(nullptr));
    case 2:
      return f(static_cast<std::uint16_t*>(nullptr));
    case 4:
      return f(static_cast<std::uint32_t*>(nullptr));
    case 8:
      return f(static_cast<std::uint64_t*>(nullptr));
    case 16:
      return f(static_cast<std::array<std::byte, 16>*>(nullptr));
    case 24:
      return f(static_cast<std::array<std::byte, 24>*>(nullptr));
    default:
      throw std::logic_error("no value has that size");
  }
}

template <class T>
std::uint64_t atomic(global_ptr<T> at, const Operation& op) {
  const T operand = static_cast<T>(op.operand);
  switch (op.atomic) {
    case Atomic::add:
      return armature::fetch_add(at, operand);
    case Atomic::bit_and:
      return armature::fetch_and(at, operand);
    case Atomic::bit_or:
      return armature::fetch_or(at, operand);
    case Atomic::bit_xor:
      return armature::fetch_xor(at, operand);
    case Atomic::swap:
      return armature::swap(at, operand);
    case Atomic::compare_swap:
      return armature::compare_swap(at, static_cast<T>(op.expected), operand);
  }
  return 0;
}

template <class T>
T scale_of(const Operation& op) {
  return static_cast<T>(static_cast<float>(op.scale));
}

}  // namespace

void Performer::perform(const Step& step,
                        const std::function<void(const Operation&, std::uint64_t)>& found) {
  if (step.fence_before) armature::fence_all();
  for (const Operation& op : step.operations) issue(op, step.way_to_wait, found);
  wait(step);
}

void Performer::issue(const Operation& op, int way_to_wait,
                      const std::function<void(const Operation&, std::uint64_t)>& found) {
  if (op.kind == Kind::atomic) return found(op, issue_atomic(op));
  if (op.form == Form::strided) return issue_strided(op);
  if (op.form == Form::vector) return issue_vector(op);
  if (op.form == Form::value && op.mode == Mode::blocking && way_to_wait % 2 == 0)
    return issue_value(op);
  issue_contiguous(op);
}

void Performer::issue_value(const Operation& op) {
  if (op.kind == Kind::accumulate) {
    return with_type(op.type, [&]<class T>(T*) {
      T value;
      std::memcpy(&value, here(op), sizeof value);
      armature::accumulate(global_ptr<T>(op.rank, reinterpret_cast<T*>(remote(op, op.remote))),
                           value, {.scale = scale_of<T>(op)});
    });
  }
  if (op.typed_source) return issue_contiguous(op);
  with_size(op.counts[0], [&]<class T>(T*) {
    const global_ptr<T> there(op.rank, reinterpret_cast<T*>(remote(op, op.remote)));
    T value;
    if (op.kind == Kind::put) {
      std::memcpy(&value, here(op), sizeof value);
      armature::put(there, value);
    } else {
      value = armature::get(there);
      std::memcpy(here(op), &value, sizeof value);
    }
  });
}

void Performer::issue_contiguous(const Operation& op) {
  if (op.mode == Mode::aggregate && (aggregates_.empty() || aggregates_.back().rank() != op.rank))
    aggregates_.emplace_back(op.rank);
  const auto issue_as = [&]<class T>(T* source, auto blocking, auto async, auto implicit,
                                     auto aggregate) {
    const global_ptr<T> there(op.rank, reinterpret_cast<T*>(remote(op, op.remote)));
    const std::size_t n = op.counts[0] / sizeof(T);
    if (op.mode == Mode::blocking) return blocking(there, source, n);
    if (op.mode == Mode::handle) return handles_.push_back(async(there, source, n));
    if (op.mode == Mode::implicit) return implicit(there, source, n);
    aggregate(aggregates_.back(), there, source, n);
  };
  if (op.kind == Kind::put) {
    issue_as(
        here(op), [](auto to, auto* from, auto n) { armature::put(to, from, n); },
        [](auto to, auto* from, auto n) { return armature::put_async(to, from, n); },
        [](auto to, auto* from, auto n) { armature::put_nbi(to, from, n); },
        [](auto& aggregate, auto to, auto* from, auto n) { aggregate.put(to, from, n); });
  } else if (op.kind == Kind::get) {
    issue_as(
        here(op), [](auto from, auto* to, auto n) { armature::get(to, from, n); },
        [](auto from, auto* to, auto n) { return armature::get_async(to, from, n); },
        [](auto from, auto* to, auto n) { armature::get_nbi(to, from, n); },
        [](auto& aggregate, auto from, auto* to, auto n) { aggregate.get(to, from, n); });
  } else {
    with_type(op.type, [&]<class T>(T*) {
      const armature::AccumulateOptions<T> options{.scale = scale_of<T>(op)};
      issue_as(
          reinterpret_cast<T*>(here(op)),
          [&](auto to, auto* from, auto n) { armature::accumulate(to, from, n, options); },
          [&](auto to, auto* from, auto n) {
            return armature::accumulate_async(to, from, n, options);
          },
          [&](auto to, auto* from, auto n) { armature::accumulate_nbi(to, from, n, options); },
          [&](auto& aggregate, auto to, auto* from, auto n) {
            aggregate.accumulate(to, from, n, options);
          });
    });
  }
}

void Performer::issue_strided(const Operation& op) {
  const bool get = op.kind == Kind::get;
  const armature::Strided shape{.counts = op.counts,
                                .to_strides = get ? op.local_strides : op.remote_strides,
                                .from_strides = get ? op.remote_strides : op.local_strides};
  const global_ptr<void> there(op.rank, remote(op, op.remote));
  if (op.kind == Kind::accumulate) {
    with_type(op.type, [&]<class T>(T*) {
      armature::accumulate_strided(there.cast<T>(), reinterpret_cast<T*>(here(op)), shape,
                                   {.scale = scale_of<T>(op)});
    });
  } else if (op.mode == Mode::blocking) {
    get ? armature::get_strided(here(op), there, shape)
        : armature::put_strided(there, here(op), shape);
  } else if (op.mode == Mode::handle) {
    handles_.push_back(get ? armature::get_strided_async(here(op), there, shape)
                           : armature::put_strided_async(there, here(op), shape));
  } else {
    get ? armature::get_strided_nbi(here(op), there, shape)
        : armature::put_strided_nbi(there, here(op), shape);
  }
}

void Performer::issue_vector(const Operation& op) {
  std::vector<void*> to;
  std::vector<const void*> from;
  for (std::size_t i = 0; i < op.remote_places.size(); ++i) {
    std::byte* const there = remote(op, op.remote_places[i]);
    std::byte* const local = local_.data() + op.local_places[i];
    to.push_back(op.kind == Kind::get ? local : there);
    from.push_back(op.kind == Kind::get ? there : local);
  }
  // The segments are one list, or two of which one may be empty.
  const std::size_t cut = op.source_seed % (to.size() + 1);
  const armature::Iov iov[] = {
      {.to = std::span(to).first(cut), .from = std::span(from).first(cut), .bytes = op.counts[0]},
      {.to = std::span(to).subspan(cut),
       .from = std::span(from).subspan(cut),
       .bytes = op.counts[0]}};
  const armature::Rank rank = op.rank;
  if (op.kind == Kind::accumulate) {
    with_type(op.type, [&]<class T>(T*) {
      armature::accumulate_vector<T>(rank, iov, {.scale = scale_of<T>(op)});
    });
  } else if (op.mode == Mode::blocking) {
    op.kind == Kind::get ? armature::get_vector(rank, iov) : armature::put_vector(rank, iov);
  } else if (op.mode == Mode::handle) {
    handles_.push_back(op.kind == Kind::get ? armature::get_vector_async(rank, iov)
                                            : armature::put_vector_async(rank, iov));
    handles_.back().wait();  // the lists live here
  } else {
    op.kind == Kind::get ? armature::get_vector_nbi(rank, iov)
                         : armature::put_vector_nbi(rank, iov);
    armature::wait_all(rank);
  }
}

std::uint64_t Performer::issue_atomic(const Operation& op) {
  std::byte* const at = remote(op, op.remote);
  if (op.counts[0] == 4)
    return atomic(global_ptr<std::uint32_t>(op.rank, reinterpret_cast<std::uint32_t*>(at)), op);
  return atomic(global_ptr<std::uint64_t>(op.rank, reinterpret_cast<std::uint64_t*>(at)), op);
}

void Performer::wait(const Step& step) {
  if (step.way_to_wait == 0) {
    armature::wait_all(handles_);
  } else if (step.way_to_wait == 1) {
    while (!armature::test_all(handles_)) {
    }
  } else {
    while (!handles_.empty()) {
      const std::size_t done = armature::wait_any(handles_);
      handles_.erase(handles_.begin() + static_cast<std::ptrdiff_t>(done));
    }
  }
  handles_.clear();
  for (auto& aggregate : aggregates_) aggregate.wait();
  aggregates_.clear();
  armature::wait_all();
}

}  // namespace property
