// One rule for host times, for every command that judges times.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/report/judged_row.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// True if times of such a device give a verdict. Those of the host device are of a simulation, so
/// they give FASTER, SLOWER or SAME only on request (`--host-times`).
bool are_judged(DeviceClass device, bool has_host_times) noexcept;

/// Makes the row UNSURE: it keeps the two times, but has no ratio, and its note has the reason.
void leave_undecided(JudgedRow& row);

/// "12 times not compared: host times are simulation times (--host-times)"; empty for 0.
std::string not_compared_text(std::int64_t count, std::string_view option = "--host-times");

}  // namespace kernelbatch
