#pragma once

namespace armature {

/// The operators of reductions that <functional> lacks: the smaller and the larger of two values,
/// of any type that has operator<. Of two equal ones the first stays, which is the one of the lower
/// member.
struct Minimum {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};
struct Maximum {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};

}  // namespace armature
