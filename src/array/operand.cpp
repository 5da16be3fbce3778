#include "armature/array/operand.hpp"

#include <cstdlib>

namespace armature::detail {
namespace {

/// How far the operand of each element lies from it, in each dimension; none if that is not the
/// same for all.
std::optional<PerDimension> shift_between(const ArraySection& out, const ArraySection& in) {
  if (out.is_periodic || in.is_periodic || out.open != in.open || out.axes != in.axes) return {};
  PerDimension shift{};
  for (std::size_t d = 0; d < static_cast<std::size_t>(out.dimensions); ++d) {
    const Range &to = out.ranges[d], &from = in.ranges[d];
    if (to.count() != from.count() || (to.count() > 1 && to.step() != from.step())) return {};
    shift[d] = from.first() - to.first();
  }
  return shift;
}

bool fits_ghosts(const ArrayLayout& layout, const PerDimension& shift) {
  for (int d = 0; d < layout.dimensions(); ++d)
    if (std::abs(shift[static_cast<std::size_t>(d)]) > layout.ghosts(d)) return false;
  return true;
}

}  // namespace

ArrayOperand::ArrayOperand(const ArrayStore& out, const ArraySection& out_section,
                           const ArrayStore& in, const ArraySection& in_section,
                           std::size_t alignment) {
  const auto shift = shift_between(out_section, in_section);
  if (shift && out.layout() == in.layout() && fits_ghosts(in.layout(), *shift)) {
    std::ptrdiff_t places = 0;
    int shifted = 0;
    for (std::size_t d = 0; d < shift->size(); ++d) {
      if (in.block().size > 0) places += (*shift)[d] * in.block().strides[d];
      if ((*shift)[d] != 0) ++shifted;
    }
    memory_ = in.mine() + places * static_cast<std::ptrdiff_t>(in.element_bytes());
    way_ = shifted == 0 ? Way::in_place : Way::by_ghosts;
    if (shifted > 0) ghosts_.emplace(in, std::array<bool, array_dimensions_max>{}, shifted);
    return;
  }
  copy_ = std::make_unique<ArrayStore>(out.team(), in.name(), out.layout(), in.element_bytes(),
                                       alignment);
  schedule_.emplace(*copy_, out_section, in, in_section);
  memory_ = copy_->mine();
}

void ArrayOperand::fetch() {
  if (ghosts_) {
    ghosts_->start();
    ghosts_->wait();
  }
  if (schedule_) schedule_->run();
}

std::size_t ArrayOperand::messages() const {
  if (ghosts_) return ghosts_->transfers().messages();
  return schedule_ ? schedule_->transfers().messages() : 0;
}

}  // namespace armature::detail
