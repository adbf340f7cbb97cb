// RunObserver: receives the events of a run, in order.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/result/record.hpp"
#include "core/run/duration/run_eta.hpp"
#include "core/run/plan.hpp"

namespace kernelbatch {

class RunObserver {
 public:
  virtual ~RunObserver();
  /// `done` of `total` results already exist.
  virtual void on_start(std::size_t done, std::size_t total) = 0;
  /// Number of earlier results that are repeated because these ingredients changed.
  virtual void on_changes(std::size_t results, const std::vector<std::string>& changes) = 0;
  virtual void on_variant(const PlannedCase& planned, const std::string& variant, Phase phase) = 0;
  /// All cases of the run in order, including those with earlier results. Called once, after
  /// on_start().
  virtual void on_cases(const std::vector<const PlannedCase*>& cases);
  /// Remaining time of the running case.
  virtual void on_eta(const ProcessEta& eta);
  /// The device was calibrated.
  virtual void on_calibration(const DeviceCalibration& calibration);
  /// A result was stored; `done` of `total` are stored.
  virtual void on_result(const ResultRecord& record, std::size_t done, std::size_t total) = 0;
};

}  // namespace kernelbatch
