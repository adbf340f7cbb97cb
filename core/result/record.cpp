#include "core/result/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.hpp"

namespace kernelbatch {
ResultOrder order_of(const ResultRecord& record) noexcept {
  const std::int64_t known_time = std::max(record.start_ns, record.end_ns);
  return {record.run >= 0 ? record.run : known_time, record.attempt, record.start_ns};
}

bool is_same_job(const JobRecord& a, const JobRecord& b) noexcept {
  if (a.name == b.name || a.sha == b.sha) return true;
  // Files of earlier builds have a shorter digest of the same text.
  return a.sha.size() != b.sha.size() && a.spec_written == b.spec_written;
}

SampleKind ResultRecord::ranked_kind() const noexcept {
  if (!std::isnan(cold.median)) return SampleKind::kCold;
  if (!std::isnan(hot.median)) return SampleKind::kHot;
  return SampleKind::kHost;
}

const Summary& ResultRecord::ranked_summary() const noexcept {
  switch (ranked_kind()) {
    case SampleKind::kCold:
      return cold;
    case SampleKind::kHot:
      return hot;
    case SampleKind::kHost:
      break;
  }
  return host;
}

double ResultRecord::ranked_time() const noexcept {
  return status == Status::kOk ? ranked_summary().median : kMissing;
}

double ResultRecord::bandwidth() const noexcept {
  return (bytes_read + bytes_written) / ranked_time();
}

double ResultRecord::flop_rate() const noexcept { return flops / ranked_time(); }

double ResultRecord::share_of_ceiling() const noexcept { return bandwidth() / ceiling; }

Verification ResultRecord::verification() const noexcept {
  if (!verified) return Verification::kNone;
  const bool is_one_set = !is_reference() && checked_calls >= 0 && input_sets == 1;
  return is_one_set ? Verification::kOneSet : Verification::kFull;
}

DeviceClass class_of_device(std::string_view device) noexcept {
  if (device.empty()) return DeviceClass::kNone;
  return device == "host" || device.starts_with("host ") ? DeviceClass::kHost : DeviceClass::kGpu;
}

void ResultRecord::add_note(NoteKind about, std::string_view text) {
  kernelbatch::add_note(notes, about, text);
}

std::string to_text(const FindingRecord& finding) {
  std::string text =
      fmt::format("{}{}: kernel '{}', {}", finding.check, finding.harmless ? " (same value)" : "",
                  finding.kernel, finding.place);
  if (!finding.text.empty()) text += "  " + finding.text;
  text += "\n  ";
  // compute-sanitizer does not report the threads of a race.
  if (!finding.thread.empty())
    text += fmt::format("thread {} of block {} ", finding.thread, finding.block);
  text += finding.what + "\n  found ";
  text += finding.count == 1 ? "once" : fmt::format("{} times", finding.count);
  if (finding.blocks > 0)
    text += finding.blocks == 1 ? " in 1 block" : fmt::format(" in {} blocks", finding.blocks);
  if (finding.tool != "host") text += ", by " + finding.tool;
  if (finding.call >= 0) text += fmt::format("; first seen in call {}", finding.call);
  return text;
}

}  // namespace kernelbatch
