#include "waiting.hpp"

#include <string>

namespace shmem {

armature::Comparison comparison_of(int comparison) {
  using enum armature::Comparison;
  switch (comparison) {
    case SHMEM_CMP_EQ:
      return eq;
    case SHMEM_CMP_NE:
      return ne;
    case SHMEM_CMP_GT:
      return gt;
    case SHMEM_CMP_GE:
      return ge;
    case SHMEM_CMP_LT:
      return lt;
    case SHMEM_CMP_LE:
      return le;
    default:
      refuse("cmp " + std::to_string(comparison) + " is none of SHMEM_CMP_EQ to SHMEM_CMP_LE");
  }
}

bool compares(int seen, armature::Comparison comparison, int value) {
  using enum armature::Comparison;
  switch (comparison) {
    case eq:
      return seen == value;
    case ne:
      return seen != value;
    case gt:
      return seen > value;
    case ge:
      return seen >= value;
    case lt:
      return seen < value;
    case le:
      return seen <= value;
  }
  return false;
}

}  // namespace shmem
