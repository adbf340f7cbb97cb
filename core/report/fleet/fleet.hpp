// Fleet: devices of one kind that ran the same work, beside each other.
//
// Of each kind (the GPU's name and its slice) and each part (workload, parameters, variant) the
// logarithms of the ranked times are compared. A device is held to the others, so that it does not
// hide itself; of these, those beyond three robust standard deviations (1.4826 times the median
// absolute deviation) are left out, so that several slow ones do not hide each other. z is the
// distance from the mean of the rest over what one more of them would scatter by: their standard
// deviation, or what one of them is uncertain by where that is more. A device is an outlier where
// - |z| is at least 3.5 (B. Iglewicz, D. Hoaglin, "How to detect and handle outliers", 1993) and
//   more than Student's t exceeds for any value of the kind in 1 % of fleets of alike devices;
// - the 99 % interval of the distance excludes 0: from the device's own interval and from the
//   uncertainty of the others' mean;
// - the distance is more than 0.5 %.
// Fewer than five devices of a kind show no outlier: their scatter is not known.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/report/text_table.hpp"
#include "core/result/reader.hpp"

namespace kernelbatch {

inline constexpr std::size_t kFewestDevices = 5;

/// One device's time of one part; NaN where it has none.
struct FleetValue {
  double time = kMissing;         ///< s; the geometric mean of its results
  double uncertainty = kMissing;  ///< standard deviation of its logarithm, from its interval
  /// Over the mean of the other devices' times (geometric), less 1; above 0 it is slower. 99 %
  /// interval.
  double distance = kMissing, low = kMissing, high = kMissing;
  double z = kMissing;  ///< distance over the scatter of the others
  bool is_outlier = false;
};

struct FleetDevice {
  std::string id;                     ///< the GPU's or slice's UUID; the node's name for a host
  std::string node;                   ///< where it ran last
  std::vector<FleetValue> values;     ///< of each part
  double score = kMissing;            ///< mean distance over the parts that it has
  std::vector<std::string> failures;  ///< "copy n=100 raw: verification_failed: …"
};

struct FleetKind {
  std::string name;
  std::vector<std::string> parts;    ///< "copy n=100000000 dtype=float32 raw"
  std::vector<FleetDevice> devices;  ///< the fastest first
};

struct Fleet {
  std::vector<FleetKind> kinds;
  bool has_outliers() const;
  bool has_failures() const;
};

/// References are left out.
Fleet fleet_of(std::span<const ResultFile> files);

/// A table for each kind, then a sentence for each outlier and failure.
std::string fleet_text(const Fleet& fleet, const TextFormat& format = {});
std::string fleet_json(const Fleet& fleet);

}  // namespace kernelbatch
