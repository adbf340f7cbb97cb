// Is an array a copy of a problem's array?
#pragma once

#include <vector>

#include "core/array/array.hpp"

namespace kernelbatch {

/// Memory of host arrays; that of freed ones is not read.
using HostMemory = std::vector<HostArrayLog::Memory>;

/// True if randomly chosen elements of an array occur in this memory: it is a copy in another order
/// or layout, such as a transposed one. Elements below four bytes, which coincide by chance, are
/// compared in pieces of eight bytes.
bool is_copied_from(const Array& array, const HostMemory& memory);

/// True if a host array is the problem's, or a copy of a part of it.
bool belongs_to(const Array& host, const HostMemory& problem);

}  // namespace kernelbatch
