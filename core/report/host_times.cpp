#include "core/report/host_times.hpp"

#include <fmt/format.h>

#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

constexpr const char* kHostTimesReason = "host times are simulation times";

}  // namespace

bool are_judged(DeviceClass device, bool has_host_times) noexcept {
  return device != DeviceClass::kHost || has_host_times;
}

void leave_undecided(JudgedRow& row) {
  row.verdict = Verdict::kUnsure;
  row.ratio = row.ratio_low = row.ratio_high = kMissing;
  row.note = kHostTimesReason;
}

std::string not_compared_text(std::int64_t count, std::string_view option) {
  if (count == 0) return "";
  return fmt::format("{} not compared: {} ({})", plural(static_cast<std::uint64_t>(count), "time"),
                     kHostTimesReason, option);
}

}  // namespace kernelbatch
