// Data that a history keeps of one result, and reading it from result files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/result/record.hpp"

namespace kernelbatch::history {

/// Identity of a series: by meaning, so that a new case ID does not end it.
struct SeriesName {
  std::string workload, variant;
  std::string params;  ///< JSON, in the order in which a job declares them
  std::string device;  ///< kind: the GPU's or the CPU's name
  /// Number among otherwise equal results of one file, from 0: their inputs differ.
  std::int64_t ordinal = 0;
};

struct StoredPoint {
  SeriesName name;
  std::string key;  ///< equal for equal series, whatever the order of the parameters
  std::int64_t environment = -1;
  std::string job, case_id, kernel_hash;
  std::string reason;  ///< why it failed
  Status status = Status::kSkipped;
  Verification verification = Verification::kNone;
  SampleKind kind = SampleKind::kCold;
  std::int64_t start_ns = -1;
  double median = kMissing, low = kMissing, high = kMissing;  ///< s, ranked, with 95 % interval
};

struct PlaceContent {
  std::vector<std::string> environments;  ///< JSON
  std::vector<StoredPoint> points;        ///< without references, which are not kernels under test
  std::vector<std::string> problems;      ///< one for each unreadable shard
};

/// `path` and exceptions as for read_results().
PlaceContent read_place(const std::filesystem::path& path);

}  // namespace kernelbatch::history
