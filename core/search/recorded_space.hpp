// A space with recorded times, for testing strategies without a GPU.
#pragma once

#include <string>
#include <vector>

#include "core/search/space.hpp"

namespace kernelbatch {

/// A recorded try.
struct RecordedTry {
  double time = 0;  ///< s; NaN if it failed
  double cost = 0;  ///< s: compiling, running, and overhead
};

/// A space from a cache file of Kernel Tuner (its JSON; some lack the last braces) or results in
/// the T4 format of the Auto-Tuning Association, plain or compressed by gzip.
class RecordedSpace {
 public:
  /// Throws SpecError with the file and the problem, also if nothing can be scored: all times are
  /// equal, or tries took no time.
  static RecordedSpace read(const std::string& file);

  const std::string& name() const noexcept { return name_; }  ///< of the kernel and the device
  const std::vector<std::string>& parameters() const noexcept { return parameters_; }
  std::size_t size() const noexcept { return tries_.size(); }
  /// The search space, whose filter passes only recorded configurations. Valid as long as this
  /// object.
  SearchSpace space() const;
  /// The try of a configuration of that space.
  const RecordedTry& at(const Configuration& configuration) const;
  const std::vector<RecordedTry>& tries() const noexcept { return tries_; }

 private:
  std::string name_;
  std::vector<std::string> parameters_;
  std::vector<std::uint32_t> lengths_;
  std::vector<std::uint32_t> places_;  ///< index in tries_ plus one, for each number; 0: none
  std::vector<RecordedTry> tries_;
};

}  // namespace kernelbatch
