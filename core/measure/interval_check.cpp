#include "core/measure/interval_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

/// Uncertainty of the device's clocks for work next to a marker.
constexpr double kSlackSeconds = 2e-6;
/// Maximum difference of events and kernel records in honest work.
constexpr double kLongerFactor = 1.5, kLongerSeconds = 5e-6;
/// If data from the host have at least this share of the outputs' bytes, they may be the outputs.
constexpr double kHostShare = 0.25;

using Spans = std::vector<std::pair<double, double>>;

double union_of(Spans spans) {
  std::ranges::sort(spans);
  double sum = 0, until = -std::numeric_limits<double>::infinity();
  for (const auto& [start, end] : spans) {
    sum += std::max(0.0, end - std::max(start, until));
    until = std::max(until, end);
  }
  return sum;
}

template <class Record>
void add_span(Spans& spans, const Record& each) {
  if (each.duration > 0) spans.emplace_back(each.start, each.start + each.duration);
}

double kernel_time(const LaunchList& list) {
  Spans spans;
  for (const Launch& each : list.launches) add_span(spans, each);
  return union_of(std::move(spans));
}

std::string name_of_work(const Launch& launch) { return fmt::format("kernel '{}'", launch.kernel); }
std::string name_of_work(const Transfer& transfer) {
  const std::string bytes = format_bytes(static_cast<std::uint64_t>(transfer.bytes));
  switch (transfer.kind) {
    case TransferKind::kFromHost:
      return fmt::format("a copy of {} from the host", bytes);
    case TransferKind::kToHost:
      return fmt::format("a copy of {} to the host", bytes);
    case TransferKind::kOnDevice:
      return fmt::format("a copy of {} on the device", bytes);
    case TransferKind::kFill:
      return fmt::format("a memset of {}", bytes);
    case TransferKind::kUnknown:
      break;
  }
  return fmt::format("a copy of {}", bytes);
}

/// The work that is furthest outside the interval.
class Outside {
 public:
  explicit Outside(const LaunchList& list) : list_(list) {
    for (const Launch& each : list.launches) look_at(each);
    for (const Transfer& each : list.transfers) look_at(each);
  }
  std::optional<IntervalFinding> finding() const {
    if (count_ == 0) return std::nullopt;
    std::string sentence = furthest_;
    if (count_ > 1) sentence += fmt::format(" (and {} more)", count_ - 1);
    return IntervalFinding{IntervalDoubt::kOutside, std::move(sentence)};
  }

 private:
  template <class Record>
  void look_at(const Record& each) {
    if (each.is_inside.value_or(true)) return;
    const double end = each.start + (each.duration > 0 ? each.duration : 0);
    const double early = -each.start, late = end - list_.interval;
    if (std::max(early, late) <= kSlackSeconds) return;
    ++count_;
    if (std::max(early, late) <= distance_) return;
    distance_ = std::max(early, late);
    const bool is_whole = each.start >= list_.interval;
    furthest_ = early > late ? fmt::format("{} began {} before the start event", name_of_work(each),
                                           format_seconds(early))
                             : fmt::format("{} {} {} after the stop event", name_of_work(each),
                                           is_whole ? "ran" : "ended", format_seconds(late));
    if (each.stream != list_.first_stream) furthest_ += ", on another stream";
  }

  const LaunchList& list_;
  std::size_t count_ = 0;
  double distance_ = 0;
  std::string furthest_;
};

struct Transfers {
  double from_host = 0, other = 0;  ///< bytes
  double host_time = 0;             ///< s
};

Transfers transfers_of(const LaunchList& list) {
  Transfers sum;
  Spans spans;
  for (const Transfer& each : list.transfers) {
    if (each.kind == TransferKind::kToHost) continue;
    const bool is_from_host =
        each.kind == TransferKind::kFromHost || each.kind == TransferKind::kUnknown;
    (is_from_host ? sum.from_host : sum.other) += static_cast<double>(each.bytes);
    if (is_from_host) add_span(spans, each);
  }
  sum.host_time = union_of(std::move(spans));
  return sum;
}

std::string bytes_text(double bytes) { return format_bytes(static_cast<std::uint64_t>(bytes)); }

/// Copies and memsets on the device count as its work.
std::optional<IntervalFinding> without_kernel(const TimedCall& call, const Transfers& transfers) {
  if (!call.list.launches.empty() || call.output_bytes <= 0) return std::nullopt;
  if (!call.list.lists_transfers) return IntervalFinding{IntervalDoubt::kNoKernel, "no kernel ran"};
  if (transfers.from_host > 0)
    return IntervalFinding{IntervalDoubt::kNoKernel,
                           fmt::format("no kernel ran: the result was copied from the host, {}",
                                       bytes_text(transfers.from_host))};
  if (transfers.other > 0) return std::nullopt;
  return IntervalFinding{IntervalDoubt::kNoKernel,
                         "no kernel ran, and nothing was copied to the outputs"};
}

std::optional<IntervalFinding> too_long(const TimedCall& call) {
  const double busy = busy_time(call.list);
  if (!(busy > kLongerFactor * call.event_time && busy > call.event_time + kLongerSeconds))
    return std::nullopt;
  return IntervalFinding{IntervalDoubt::kTooLong,
                         fmt::format("kernels ran for {}, which the events time as {}",
                                     format_seconds(busy), format_seconds(call.event_time))};
}

std::optional<IntervalFinding> from_host(const TimedCall& call, const Transfers& transfers) {
  if (call.is_staged || call.list.launches.empty()) return std::nullopt;
  if (call.output_bytes <= 0 || transfers.from_host < kHostShare * call.output_bytes)
    return std::nullopt;
  const double kernels = kernel_time(call.list);
  if (kernels >= transfers.host_time) return std::nullopt;
  return IntervalFinding{
      IntervalDoubt::kFromHost,
      fmt::format("each call copies {} from the host, where its outputs have {}, and its kernels "
                  "take {}: the result may be the host's",
                  bytes_text(transfers.from_host), bytes_text(call.output_bytes),
                  format_seconds(kernels))};
}

}  // namespace

double busy_time(const LaunchList& list) {
  Spans spans;
  for (const Launch& each : list.launches) add_span(spans, each);
  for (const Transfer& each : list.transfers)
    if (each.kind == TransferKind::kOnDevice || each.kind == TransferKind::kFill)
      add_span(spans, each);
  return union_of(std::move(spans));
}

std::vector<IntervalFinding> check_interval(const TimedCall& call) {
  std::vector<IntervalFinding> findings;
  if (std::isnan(call.list.interval)) return findings;
  const Transfers transfers = transfers_of(call.list);
  for (auto&& finding : {Outside(call.list).finding(), without_kernel(call, transfers),
                         too_long(call), from_host(call, transfers)})
    if (finding) findings.push_back(*finding);
  return findings;
}

}  // namespace kernelbatch
