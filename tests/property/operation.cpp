#include "operation.hpp"

#include <complex>
#include <cstring>
#include <sstream>

namespace property {
namespace {

const char* const kind_names[] = {"put", "get", "accumulate", "atomic"};
const char* const form_names[] = {"value", "block", "strided", "vector"};
const char* const mode_names[] = {"blocking", "handle", "implicit", "aggregate"};
const char* const type_names[] = {"int32",  "int64",         "float",
                                  "double", "complex float", "complex double"};

template <class T>
void print(std::ostream& out, const char* name, const std::vector<T>& list) {
  if (list.empty()) return;
  out << ' ' << name << " {";
  for (std::size_t i = 0; i < list.size(); ++i) out << (i == 0 ? "" : ", ") << list[i];
  out << '}';
}

void add_groups(const Operation& op, std::size_t level, std::ptrdiff_t remote, std::ptrdiff_t local,
                std::vector<Block>& blocks) {
  if (level == 0) {
    blocks.push_back(
        {static_cast<std::size_t>(remote), static_cast<std::size_t>(local), op.counts[0]});
    return;
  }
  for (std::size_t i = 0; i < op.counts[level]; ++i)
    add_groups(op, level - 1,
               remote + static_cast<std::ptrdiff_t>(i) * op.remote_strides[level - 1],
               local + static_cast<std::ptrdiff_t>(i) * op.local_strides[level - 1], blocks);
}

template <class T>
void accumulate(std::byte* to, const std::byte* from, std::size_t bytes, int scale) {
  for (std::size_t at = 0; at < bytes; at += sizeof(T)) {
    T x;
    T y;
    std::memcpy(&x, to + at, sizeof x);
    std::memcpy(&y, from + at, sizeof y);
    x += static_cast<T>(static_cast<float>(scale)) * y;
    std::memcpy(to + at, &x, sizeof x);
  }
}

void accumulate(Type type, std::byte* to, const std::byte* from, std::size_t bytes, int scale) {
  switch (type) {
    case Type::int32:
      return accumulate<std::int32_t>(to, from, bytes, scale);
    case Type::int64:
      return accumulate<std::int64_t>(to, from, bytes, scale);
    case Type::float32:
      return accumulate<float>(to, from, bytes, scale);
    case Type::float64:
      return accumulate<double>(to, from, bytes, scale);
    case Type::complex64:
      return accumulate<std::complex<float>>(to, from, bytes, scale);
    case Type::complex128:
      return accumulate<std::complex<double>>(to, from, bytes, scale);
  }
}

template <class T>
std::uint64_t apply_atomic(const Operation& op, std::byte* at) {
  T old;
  std::memcpy(&old, at, sizeof old);
  const T operand = static_cast<T>(op.operand);
  T now = old;
  switch (op.atomic) {
    case Atomic::add:
      now = static_cast<T>(old + operand);
      break;
    case Atomic::bit_and:
      now = old & operand;
      break;
    case Atomic::bit_or:
      now = old | operand;
      break;
    case Atomic::bit_xor:
      now = old ^ operand;
      break;
    case Atomic::swap:
      now = operand;
      break;
    case Atomic::compare_swap:
      now = old == static_cast<T>(op.expected) ? operand : old;
      break;
  }
  std::memcpy(at, &now, sizeof now);
  return old;
}

std::uint64_t next(std::uint64_t& state) {  // splitmix64
  std::uint64_t z = (state += 0x9e37'79b9'7f4a'7c15);
  z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9;
  z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11eb;
  return z ^ (z >> 31);
}

/// Whole numbers from -8 to 8 in components of type T.
template <class T>
void fill_small(std::byte* to, std::size_t bytes, std::uint64_t& state) {
  for (std::size_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
    const T value = static_cast<T>(static_cast<int>(next(state) % 17) - 8);
    std::memcpy(to + at, &value, sizeof value);
  }
}

void fill_small(Type type, std::byte* to, std::size_t bytes, std::uint64_t& state) {
  switch (type) {
    case Type::int32:
      return fill_small<std::int32_t>(to, bytes, state);
    case Type::int64:
      return fill_small<std::int64_t>(to, bytes, state);
    case Type::float32:
    case Type::complex64:
      return fill_small<float>(to, bytes, state);
    case Type::float64:
    case Type::complex128:
      return fill_small<double>(to, bytes, state);
  }
}

void fill_bytes(std::byte* to, std::size_t bytes, std::uint64_t& state) {
  for (std::size_t at = 0; at < bytes; at += 8) {
    const std::uint64_t word = next(state);
    std::memcpy(to + at, &word, std::min<std::size_t>(8, bytes - at));
  }
}

}  // namespace

std::size_t bytes_of(Type type) {
  constexpr std::size_t bytes[] = {4, 8, 4, 8, 8, 16};
  return bytes[static_cast<int>(type)];
}

std::string Operation::text() const {
  std::ostringstream out;
  out << mode_names[static_cast<int>(mode)] << ' ' << kind_names[static_cast<int>(kind)] << ' '
      << form_names[static_cast<int>(form)] << " rank " << rank << " remote " << remote << " local "
      << local;
  print(out, "counts", counts);
  print(out, "remote strides", remote_strides);
  print(out, "local strides", local_strides);
  print(out, "remote places", remote_places);
  print(out, "local places", local_places);
  if (kind == Kind::accumulate)
    out << ' ' << type_names[static_cast<int>(type)] << " scale " << scale;
  if (kind == Kind::atomic)
    out << " operator " << static_cast<int>(atomic) << " operand " << operand;
  return out.str();
}

std::vector<Block> blocks_of(const Operation& op) {
  std::vector<Block> blocks;
  if (op.form == Form::vector) {
    for (std::size_t i = 0; i < op.remote_places.size(); ++i)
      blocks.push_back({op.remote_places[i], op.local_places[i], op.counts[0]});
  } else {
    add_groups(op, op.counts.size() - 1, static_cast<std::ptrdiff_t>(op.remote),
               static_cast<std::ptrdiff_t>(op.local), blocks);
  }
  return blocks;
}

void fill_source(const Operation& op, Memory& local) {
  if (op.kind == Kind::get || op.kind == Kind::atomic) return;
  std::uint64_t state = op.source_seed;
  for (const Block& block : blocks_of(op)) {
    if (op.kind == Kind::accumulate || op.typed_source)
      fill_small(op.type, local.data() + block.local, block.bytes, state);
    else
      fill_bytes(local.data() + block.local, block.bytes, state);
  }
}

std::uint64_t apply(const Operation& op, Memory& remote, Memory& local) {
  if (op.kind == Kind::atomic) {
    std::byte* const at = remote.data() + op.remote;
    return op.counts[0] == 4 ? apply_atomic<std::uint32_t>(op, at)
                             : apply_atomic<std::uint64_t>(op, at);
  }
  for (const Block& block : blocks_of(op)) {
    std::byte* const there = remote.data() + block.remote;
    std::byte* const here = local.data() + block.local;
    if (op.kind == Kind::put)
      std::memcpy(there, here, block.bytes);
    else if (op.kind == Kind::get)
      std::memcpy(here, there, block.bytes);
    else
      accumulate(op.type, there, here, block.bytes, op.scale);
  }
  return 0;
}

}  // namespace property
