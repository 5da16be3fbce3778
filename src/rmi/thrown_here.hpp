#pragma once

namespace armature::rmi {

/// Catches nothing: `catch (const ThrownHere&)`, before all other clauses of a try around a remote
/// method, has the rank's CallFailures note the stack of whatever is thrown (thrown_here.cpp).
class ThrownHere {
 public:
  virtual ~ThrownHere();  // of no object: it keeps the compiler from making a type_info
};

}  // namespace armature::rmi
