// Fleet: comparison of devices of one kind that ran the same work.
//
// The logarithms of the ranked times are compared for each kind (the GPU's name and its slice) and
// each part (workload, parameters, variant). A device is compared with the others only, so that it
// does not hide itself. Of these, values beyond three robust standard deviations (1.4826 times the
// median absolute deviation) are left out, so that several slow devices do not hide each other. z
// is the distance from the mean of the rest, divided by the expected scatter of one more device:
// the larger of their standard deviation and the uncertainty of one of them. A device is an outlier
// if
// - |z| is at least 3.5 (B. Iglewicz, D. Hoaglin, "How to detect and handle outliers", 1993) and
//   exceeds the Student's t that any value of the kind exceeds in 1 % of fleets of identical
//   devices;
// - the 99 % interval of the distance, from the device's own interval and the uncertainty of the
//   others' mean, excludes 0; and
// - the distance is more than 0.5 %.
// Kinds with fewer than five devices have no outliers, since their scatter is unknown.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/report/text_table.hpp"
#include "core/result/reader.hpp"

namespace kernelbatch {

inline constexpr std::size_t kFewestDevices = 5;

/// One device's time for one part; NaN if it has none.
struct FleetValue {
  double time = kMissing;         ///< s; the geometric mean of its results
  double uncertainty = kMissing;  ///< standard deviation of its logarithm, from its interval
  /// Relative to the geometric mean of the other devices' times, minus 1; positive is slower. With
  /// a 99 % interval.
  double distance = kMissing, low = kMissing, high = kMissing;
  double z = kMissing;  ///< distance over the scatter of the others
  bool is_outlier = false;
};

struct FleetDevice {
  std::string id;                     ///< the GPU's or slice's UUID; the node's name for a host
  std::string node;                   ///< node of its last run
  std::vector<FleetValue> values;     ///< of each part
  double score = kMissing;            ///< mean distance over its parts
  std::vector<std::string> failures;  ///< "copy n=100 raw: verification_failed: …"
};

struct FleetKind {
  std::string name;
  std::vector<std::string> parts;    ///< "copy n=100000000 dtype=float32 raw"
  std::vector<FleetDevice> devices;  ///< fastest first
};

struct Fleet {
  std::vector<FleetKind> kinds;
  bool has_outliers() const;
  bool has_failures() const;
};

/// References are left out.
Fleet fleet_of(std::span<const ResultFile> files);

/// A table per kind, then a sentence per outlier and failure.
std::string fleet_text(const Fleet& fleet, const TextFormat& format = {});
/// With a line end.
std::string fleet_json(const Fleet& fleet);

}  // namespace kernelbatch
