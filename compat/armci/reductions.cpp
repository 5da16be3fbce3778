// Global operations on arrays of numbers, and the selection of one process's record by its number.
// An operation is named by a string (operations.hpp) and a type by a constant, so what a program
// asks for is looked up here once per call. The team's reductions do the rest.

#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <armature/collectives.hpp>
#include <armature/error.hpp>

#include "armci.h"
#include "calls.hpp"
#include "groups.hpp"
#include "message.h"
#include "operations.hpp"
#include "turn.hpp"

using namespace armci;
using armature::Team;

namespace {

[[noreturn]] void unknown(const char* what, std::string_view name) {
  throw armature::Error(armature::Errc::bad_argument,
                        std::string("no such ") + what + ": " + std::string(name));
}

template <class T>
T absolute(T x) {
  if constexpr (std::is_integral_v<T>)
    return x < 0 ? static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(x)) : x;
  else
    return std::fabs(x);
}

/// Sums and products of integers wrap around.
template <class T, class Op>
struct Wrapping {
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(Op{}(static_cast<U>(a), static_cast<U>(b)));
    } else {
      return Op{}(a, b);
    }
  }
};

/// False where it is no operation on integers alone.
template <class T>
bool reduce_integers(const Team& team, std::span<T> data, Operation op) {
  switch (op) {
    case Operation::bitwise_or:
      return allreduce(team, data, std::bit_or<T>{}), true;
    case Operation::bitwise_and:
      return allreduce(team, data, std::bit_and<T>{}), true;
    case Operation::logical_and:
      return allreduce(team, data, std::logical_and<T>{}), true;
    case Operation::logical_or:
      return allreduce(team, data, std::logical_or<T>{}), true;
    default:
      return false;
  }
}

/// False where it is no operation on this type.
template <class T>
bool reduce(const Team& team, std::span<T> data, Operation op) {
  if (op == Operation::absolute_maximum || op == Operation::absolute_minimum)
    for (T& x : data) x = absolute(x);
  switch (op) {
    case Operation::sum:
      return allreduce(team, data, Wrapping<T, std::plus<>>{}), true;
    case Operation::product:
      return allreduce(team, data, Wrapping<T, std::multiplies<>>{}), true;
    case Operation::maximum:
    case Operation::absolute_maximum:
      return allreduce(team, data, armature::Maximum{}), true;
    case Operation::minimum:
    case Operation::absolute_minimum:
      return allreduce(team, data, armature::Minimum{}), true;
    default:
      if constexpr (std::is_integral_v<T>) return reduce_integers(team, data, op);
      return false;
  }
}

/// Calls body.operator()<T>() for the type of ARMCI_INT ...
template <class Body>
void with_type(int type, Body&& body) {
  switch (type) {
    case ARMCI_INT:
      return body.template operator()<int>();
    case ARMCI_LONG:
      return body.template operator()<long>();
    case ARMCI_LONG_LONG:
      return body.template operator()<long long>();
    case ARMCI_FLOAT:
      return body.template operator()<float>();
    case ARMCI_DOUBLE:
      return body.template operator()<double>();
    default:
      unknown("type", std::to_string(type));
  }
}

struct Request {
  int scope;
  void* x;
  int n;
  const char* op;
  int type;
};

void reduce(Group& group, const Request& request) {
  if (request.n < 0 || (request.x == nullptr && request.n > 0) || request.op == nullptr)
    throw armature::Error(armature::Errc::bad_argument,
                          "no data, no operation, or a negative count");
  const Team* team = scope_of(group, request.scope);
  if (team == nullptr) return;
  const std::optional<Operation> op = operation_of(request.op);
  with_type(request.type, [&]<class T>() {
    const std::span data(static_cast<T*>(request.x), static_cast<std::size_t>(request.n));
    if (!op || !reduce(*team, data, *op))
      unknown("operation on this type", printable_beginning(request.op));
  });
}

void reduce_world(const char* call, const Request& request) {
  insisted(call, in_turn([&] { reduce(*world_group(), request); }));
}

void reduce_group(const char* call, const Request& request, const ARMCI_Group* group) {
  insisted(call, in_turn([&] {
             const auto found = find_group(group);
             if (found) reduce(*found, request);
           }));
}

/// The choice of a member whose record wins: all members see these, and the record itself travels
/// once.
template <class T>
struct Ballot {
  int contributes = 0;
  int member = 0;
  T number{};
};

/// Members are combined in order, so of equal numbers that of the lowest member stays.
template <class T>
Ballot<T> elect(const Team& team, const Ballot<T>& mine, bool largest) {
  return allreduce(team, mine, [largest](const Ballot<T>& a, const Ballot<T>& b) {
    if (a.contributes == 0 || b.contributes == 0) return a.contributes == 0 ? b : a;
    const bool better = largest ? b.number > a.number : b.number < a.number;
    return better ? b : a;
  });
}

void select(const Request& request, bool contribute) {
  if (request.n < 0 || request.x == nullptr || request.op == nullptr)
    throw armature::Error(armature::Errc::bad_argument,
                          "no record, no operation, or a negative size");
  const Team* team = scope_of(*world_group(), request.scope);
  if (team == nullptr) return;
  const std::optional<Operation> op = operation_of(request.op);
  if (op != Operation::maximum && op != Operation::minimum)
    unknown("selection", printable_beginning(request.op));
  const auto bytes = static_cast<std::size_t>(request.n);
  with_type(request.type, [&]<class T>() {
    if (bytes < sizeof(T))
      throw armature::Error(armature::Errc::bad_argument, "the record is smaller than its number");
    Ballot<T> mine{.contributes = contribute ? 1 : 0, .member = team->rank()};
    std::memcpy(&mine.number, request.x, sizeof(T));
    const Ballot<T> chosen = elect(*team, mine, op == Operation::maximum);
    if (chosen.contributes != 0)
      broadcast(*team, std::span(static_cast<std::byte*>(request.x), bytes), chosen.member);
  });
}

}  // namespace

extern "C" {

void armci_msg_gop_scope(int scope, void* x, int n, char* op, int type) {
  reduce_world(__func__, {scope, x, n, op, type});
}
void armci_msg_igop(int* x, int n, char* op) {
  reduce_world(__func__, {SCOPE_ALL, x, n, op, ARMCI_INT});
}
void armci_msg_lgop(long* x, int n, char* op) {
  reduce_world(__func__, {SCOPE_ALL, x, n, op, ARMCI_LONG});
}
void armci_msg_llgop(long long* x, int n, char* op) {
  reduce_world(__func__, {SCOPE_ALL, x, n, op, ARMCI_LONG_LONG});
}
void armci_msg_fgop(float* x, int n, char* op) {
  reduce_world(__func__, {SCOPE_ALL, x, n, op, ARMCI_FLOAT});
}
void armci_msg_dgop(double* x, int n, char* op) {
  reduce_world(__func__, {SCOPE_ALL, x, n, op, ARMCI_DOUBLE});
}

void armci_msg_group_gop_scope(int scope, void* x, int n, char* op, int type, ARMCI_Group* group) {
  reduce_group(__func__, {scope, x, n, op, type}, group);
}
void armci_msg_group_igop(int* x, int n, char* op, ARMCI_Group* group) {
  reduce_group(__func__, {SCOPE_ALL, x, n, op, ARMCI_INT}, group);
}
void armci_msg_group_lgop(long* x, int n, char* op, ARMCI_Group* group) {
  reduce_group(__func__, {SCOPE_ALL, x, n, op, ARMCI_LONG}, group);
}
void armci_msg_group_llgop(long long* x, int n, char* op, ARMCI_Group* group) {
  reduce_group(__func__, {SCOPE_ALL, x, n, op, ARMCI_LONG_LONG}, group);
}
void armci_msg_group_fgop(float* x, int n, char* op, ARMCI_Group* group) {
  reduce_group(__func__, {SCOPE_ALL, x, n, op, ARMCI_FLOAT}, group);
}
void armci_msg_group_dgop(double* x, int n, char* op, ARMCI_Group* group) {
  reduce_group(__func__, {SCOPE_ALL, x, n, op, ARMCI_DOUBLE}, group);
}

void armci_msg_clus_igop(int* x, int n, char* op) {
  reduce_world(__func__, {SCOPE_NODE, x, n, op, ARMCI_INT});
}
void armci_msg_clus_lgop(long* x, int n, char* op) {
  reduce_world(__func__, {SCOPE_NODE, x, n, op, ARMCI_LONG});
}
void armci_msg_clus_llgop(long long* x, int n, char* op) {
  reduce_world(__func__, {SCOPE_NODE, x, n, op, ARMCI_LONG_LONG});
}
void armci_msg_clus_fgop(float* x, int n, char* op) {
  reduce_world(__func__, {SCOPE_NODE, x, n, op, ARMCI_FLOAT});
}
void armci_msg_clus_dgop(double* x, int n, char* op) {
  reduce_world(__func__, {SCOPE_NODE, x, n, op, ARMCI_DOUBLE});
}

// Everybody gets the result: other implementations do that, and there are programs that count on
// it.
void armci_msg_reduce(void* x, int n, char* op, int type) {
  reduce_world(__func__, {SCOPE_ALL, x, n, op, type});
}
void armci_msg_reduce_scope(int scope, void* x, int n, char* op, int type) {
  reduce_world(__func__, {scope, x, n, op, type});
}

void armci_msg_sel(void* x, int n, char* op, int type, int contribute) {
  insisted(__func__, in_turn([=] { select({SCOPE_ALL, x, n, op, type}, contribute != 0); }));
}
void armci_msg_sel_scope(int scope, void* x, int n, char* op, int type, int contribute) {
  insisted(__func__, in_turn([=] { select({scope, x, n, op, type}, contribute != 0); }));
}

}  // extern "C"
