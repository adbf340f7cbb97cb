// Findings of a device's checks, as records.
#pragma once

#include <string>
#include <vector>

#include "core/device/access_checks.hpp"
#include "core/job/spec.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

FindingRecord to_record(const KernelFinding& finding);

/// Findings since the last call; empty if the device was not opened with checks.
std::vector<FindingRecord> take_findings(Device& device);

/// Adds the device's counts since the last call.
void add_counts(ResultRecord& record, Device& device);

/// The findings with places in the job instead of places in the text of this variant. Kernels of
/// plugins have none.
std::vector<FindingRecord> in_job(std::vector<FindingRecord> findings, const WorkloadSpec& spec,
                                  const std::string& variant);

/// Adds findings to the result of a variant that ran with these checks. With any finding that is
/// not harmless the result is unsafe; its previous reason becomes the detail.
void add_findings(ResultRecord& record, const std::string& checks,
                  std::vector<FindingRecord> findings);

}  // namespace kernelbatch
