// RunObserver: is told what happens in a run, in order.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/result/record.hpp"
#include "core/run/duration/remaining_time.hpp"
#include "core/run/plan.hpp"

namespace kernelbatch {

class RunObserver {
 public:
  virtual ~RunObserver();
  /// `done` of `total` results are in already.
  virtual void on_start(std::size_t done, std::size_t total) = 0;
  /// So many results of earlier runs are made anew, since these ingredients are not as they were.
  virtual void on_changes(std::size_t results, const std::vector<std::string>& changes) = 0;
  virtual void on_variant(const PlannedCase& planned, const std::string& variant, Phase phase) = 0;
  /// The cases of the run in their order, those that are known from earlier runs among them. Told
  /// once, after on_start().
  virtual void on_cases(const std::vector<const PlannedCase*>& cases);
  /// How long the case that runs will go on.
  virtual void on_outlook(const Outlook& outlook);
  /// The device has been calibrated.
  virtual void on_calibration(const DeviceCalibration& calibration);
  /// A result is on disk; `done` of `total` are.
  virtual void on_result(const ResultRecord& record, std::size_t done, std::size_t total) = 0;
};

}  // namespace kernelbatch
