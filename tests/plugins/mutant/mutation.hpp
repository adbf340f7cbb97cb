// What a careless variant might give instead of the right output.
#pragma once

#include <functional>
#include <string_view>

#include "core/array/array.hpp"
#include "core/workload/workload.hpp"

namespace mutant {

/// Turns an output (a contiguous host array) into a wrong one.
using Mutation =
    std::function<void(const kernelbatch::OutputArray& spec, const kernelbatch::Array& output)>;

/// Every element is its right neighbour's, the last one the first's.
void shift_by_one(const kernelbatch::OutputArray& spec, const kernelbatch::Array& output);
/// The last element is as it was before the work.
void leave_out_last(const kernelbatch::OutputArray& spec, const kernelbatch::Array& output);
/// The middle element is off by ten times what it may be, and at least by one representable number.
void move_one(const kernelbatch::OutputArray& spec, const kernelbatch::Array& output);
/// The middle element is NaN; an integer is off by one.
void put_nan(const kernelbatch::OutputArray& spec, const kernelbatch::Array& output);

/// A copy whose elements come in reverse order: not the operand that the kernel was to have.
kernelbatch::Array reversed(const kernelbatch::Array& input);

}  // namespace mutant
