// MadeResult: results for tests. The members that every result needs are set here, so that a test
// sets only its subject.
#pragma once

#include <string>
#include <utility>

#include "core/result/record.hpp"

namespace kernelbatch::test {

/// A correct, timed result: `MadeResult("raw", 2e-3).of("saxpy").with("n", 1000)`.
class MadeResult {
 public:
  /// `median` and half of its interval, in seconds.
  explicit MadeResult(std::string variant = "raw", double median = 1e-3, double half_width = 0) {
    record_.workload = "saxpy";
    record_.variant = std::move(variant);
    record_.kind = record_.variant == "reference" ? VariantKind::kReference : VariantKind::kRaw;
    record_.device = "Example GPU";
    record_.status = Status::kOk;
    record_.cold.median = median;
    record_.cold.ci95_low = median - half_width;
    record_.cold.ci95_high = median + half_width;
    record_.cold.samples = 10;
  }

  MadeResult& of(std::string workload) {
    record_.workload = std::move(workload);
    return *this;
  }
  MadeResult& in_case(std::string case_id) {
    record_.case_id = std::move(case_id);
    return *this;
  }
  MadeResult& on(std::string device) {
    record_.device = std::move(device);
    return *this;
  }
  MadeResult& with(const char* parameter, Value value) {
    record_.params.emplace_back(parameter, std::move(value));
    return *this;
  }
  MadeResult& with_samples(std::int64_t count) {
    record_.cold.samples = count;
    return *this;
  }
  /// Samples from `low` to `high` times the median; with_samples() sets their number.
  MadeResult& spread(double low, double high) {
    const double step = (high - low) / static_cast<double>(record_.cold.samples);
    for (std::int64_t k = 0; k < record_.cold.samples; ++k)
      record_.samples.push_back({SampleKind::kCold, k,
                                 record_.cold.median * (low + step * static_cast<double>(k)),
                                 kMissing, -1});
    return *this;
  }
  MadeResult& is(Status status, std::string reason = "") {
    record_.status = status;
    record_.reason = std::move(reason);
    return *this;
  }
  /// Sets any other member: `.set(&ResultRecord::flops, 2e6)`.
  template <class T, class V>
  MadeResult& set(T ResultRecord::*member, V&& value) {
    record_.*member = std::forward<V>(value);
    return *this;
  }

  ResultRecord made() const { return record_; }

 private:
  ResultRecord record_;
};

}  // namespace kernelbatch::test
