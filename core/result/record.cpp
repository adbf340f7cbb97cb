#include "core/result/record.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace kernelbatch {
namespace {

constexpr std::array<std::string_view, kStatusCount> kNames{"ok",
                                                            "verification_failed",
                                                            "crashed",
                                                            "timed_out",
                                                            "out_of_memory",
                                                            "compile_failed",
                                                            "unsupported",
                                                            "skipped",
                                                            "failed"};

}  // namespace

std::string_view to_text(Status status) noexcept {
  return kNames[static_cast<std::size_t>(status)];
}

std::optional<Status> status_named(std::string_view text) noexcept {
  for (std::size_t k = 0; k < kNames.size(); ++k)
    if (kNames[k] == text) return static_cast<Status>(k);
  return std::nullopt;
}

ResultOrder order_of(const ResultRecord& record) noexcept {
  const std::int64_t known_time = std::max(record.start_ns, record.end_ns);
  return {record.run >= 0 ? record.run : known_time, record.attempt, record.start_ns};
}

bool is_same_job(const JobRecord& a, const JobRecord& b) noexcept {
  return a.name == b.name || a.sha == b.sha;
}

double ResultRecord::ranked_time() const noexcept {
  if (status != Status::kOk) return kMissing;
  if (!std::isnan(cold.median)) return cold.median;
  if (!std::isnan(hot.median)) return hot.median;
  return host.median;
}

double ResultRecord::bandwidth() const noexcept {
  return (bytes_read + bytes_written) / ranked_time();
}

double ResultRecord::flop_rate() const noexcept { return flops / ranked_time(); }

double ResultRecord::share_of_ceiling() const noexcept { return bandwidth() / ceiling; }

}  // namespace kernelbatch
