// Wrong outputs that a careless variant might give.
#pragma once

#include <functional>
#include <string_view>

#include "core/array/array.hpp"
#include "core/workload/workload.hpp"

namespace mutant {

/// Turns an output (a contiguous host array) into a wrong one.
using Mutation =
    std::function<void(const kernelbatch::OutputArray& spec, const kernelbatch::Array& output)>;

/// Every element has the value of its right neighbour, the last one that of the first.
void shift_by_one(const kernelbatch::OutputArray& spec, const kernelbatch::Array& output);
/// The last element has the value from before the work.
void leave_out_last(const kernelbatch::OutputArray& spec, const kernelbatch::Array& output);
/// The middle element is off by ten times its tolerance, and at least by one representable number.
void move_one(const kernelbatch::OutputArray& spec, const kernelbatch::Array& output);
/// The middle element is NaN; an integer is off by one.
void put_nan(const kernelbatch::OutputArray& spec, const kernelbatch::Array& output);

/// A copy with the elements in reverse order: not the operand that the kernel should get.
kernelbatch::Array reversed(const kernelbatch::Array& input);

}  // namespace mutant
