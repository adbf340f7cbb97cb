// Addresses that a job's kernels need, before a device is opened.
#pragma once

#include <vector>

#include "core/device/address_hint.hpp"
#include "core/job/spec.hpp"

namespace kernelbatch {

/// Addresses of arrays in the job, with the bytes of the files that they are filled from; at least
/// one byte. Names and files that do not exist are reported when the case is prepared.
std::vector<AddressRange> wanted_addresses(const JobSpec& job);

}  // namespace kernelbatch
