// What a device's checks found, as records.
#pragma once

#include <string>
#include <vector>

#include "core/device/access_checks.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

FindingRecord to_record(const KernelFinding& finding);

/// Those of a device that was opened for checks since the last call; empty of another one.
std::vector<FindingRecord> take_findings(Device& device);

/// The result of a variant that ran under these checks. One that has a finding, other than a
/// harmless one, is unsafe; how it ended otherwise becomes the detail.
void add_findings(ResultRecord& record, const std::string& checks,
                  std::vector<FindingRecord> findings);

}  // namespace kernelbatch
