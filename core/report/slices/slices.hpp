// Times that a job would take on MIG slices, estimated from runs on a part of a whole GPU.
#pragma once

#include <string>
#include <vector>

#include "core/report/text_table.hpp"
#include "core/result/reader.hpp"

namespace kernelbatch {

/// A run with the SMs and the memory of a profile, or of the whole GPU.
struct SliceRun {
  std::string profile;    ///< "2g.20gb"; "whole"
  int compute_units = 0;  ///< SMs that the run used
  double compute = 1;     ///< share of the GPU's compute slices
  double memory = 1;      ///< share of its memory bandwidth
  ResultFile results = {};
};

/// The fastest right variant of a case on a profile.
struct SliceEstimate {
  std::string case_id, workload, params, profile;
  int compute_units = 0;
  std::string variant = {};  ///< empty: none gave a right result
  std::string reason = {};   ///< then: why
  double time = 0;   ///< s; the longer of the time with these SMs and the time of its transfers
  double share = 1;  ///< share of the GPU's compute slices
  /// True if the slice's memory bandwidth, which the run did not limit, determines the time.
  bool is_bandwidth_bound = false;
  double time_share() const noexcept { return time * share; }
};

/// Estimates by case, in the order of the first run, then by run. The first run is that of the
/// whole GPU; its calibration gives the memory bandwidth.
std::vector<SliceEstimate> slice_estimates(const std::vector<SliceRun>& runs);

std::string slices_text(const std::vector<SliceEstimate>& estimates, const TextFormat& format);
std::string slices_json(const std::vector<SliceEstimate>& estimates);

}  // namespace kernelbatch
