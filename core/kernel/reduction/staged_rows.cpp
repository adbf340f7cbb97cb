#include "core/kernel/reduction/staged_rows.hpp"

#include <fmt/format.h>

namespace kernelbatch {

StagedRow::StagedRow(const ReductionPass& pass, const Operand& operand)
    : name_(operand.name()),
      type_(operand.c_type()),
      slot_(operand.slot),
      arrays_(pass.looped_inputs()),
      run_(pass.loops.inner.extents[pass.loops.inner.rank() - 1]),
      length_(pass.schedule.outputs * pass.schedule.rows * run_),
      width_(16 / static_cast<std::int64_t>(size_of(operand.dtype))) {
  const LoopPlan& inner = pass.loops.inner;
  if (pass.schedule.kept > 1) {
    group_ = columns_row(pass.loops, pass.inputs);
    run_ = group_->length * inner.extents[0] / group_->outputs;
    length_ = pass.schedule.outputs * pass.schedule.rows * run_;
    return;
  }
  if (inner.rank() == 1) return;
  slices_ = inner.extents[0];
  length_ += width_;
  const std::int64_t step = inner.strides[static_cast<std::size_t>(slot_)][0];
  shift_ = step / static_cast<std::int64_t>(size_of(operand.dtype)) % width_;
}

std::string StagedRow::lead(const std::string& slice) const {
  return fmt::format("{} * {} % {}", slice, shift_, width_);
}

std::string StagedRow::memory() const {
  return fmt::format(
      "__shared__ __align__(16) unsigned char _bytes_{0}[sizeof({1}) * {2}];\n"
      "  {1}* const _piece_{0} = reinterpret_cast<{1}*>(_bytes_{0});",
      name_, type_, slices_ * length_);
}

std::string StagedRow::fetch() const {
  const std::string first =
      fmt::format("static_cast<const {}*>(_a._p_{}) + _first * {}", type_, name_, run_);
  if (slices_ == 1) return fmt::format("_fetch(_piece_{}, {}, _mine * {});", name_, first, run_);
  return fmt::format(
      "KERNELBATCH_ROLLED\n"
      "    for (int _k = 0; _k < {0}; ++_k) {{\n"
      "      _index _offset[{7}], _at[2];\n"
      "      _a._inner.locate(_k * {6}, _offset, _at);\n"
      "      const int _lead = {5};\n"
      "      _fetch(_piece_{1} + _k * {2}, "
      "kernelbatch::offset_pointer({3}, _offset[{4}]) - _lead, _mine * {6} + _lead);\n"
      "    }}",
      slices_, name_, length_, first, slot_, lead("_k"), run_, arrays_);
}

std::string StagedRow::begin() const {
  if (group_)
    return fmt::format("_r._p_{0} = _piece_{0} + _own / {1} * {2} + {3};", name_, group_->outputs,
                       run_ * group_->outputs, text_of(*group_, "_own", "0").place);
  return fmt::format("_r._p_{0} = _piece_{0} + _own * {1};", name_, run_);
}

std::string StagedRow::place() const {
  if (group_)
    return fmt::format("(_r._p_{} + static_cast<int>(_J) / {} * {} + {})", name_,
                       group_->length / group_->outputs, group_->length,
                       text_of(*group_, "0", "static_cast<int>(_J)").place);
  const std::string slice = fmt::format("static_cast<int>(_J) / {}", run_);
  return fmt::format("(_r._p_{} + {} * {} + {} + static_cast<int>(_J) % {})", name_, slice, length_,
                     lead(slice), run_);
}

}  // namespace kernelbatch
