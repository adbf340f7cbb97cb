// A space whose times were all recorded, to try strategies on without a GPU.
#pragma once

#include <string>
#include <vector>

#include "core/search/space.hpp"

namespace kernelbatch {

/// What a recorded try gave.
struct RecordedTry {
  double time = 0;  ///< s; NaN where it failed
  double cost = 0;  ///< s: compiling, running, and what stood around that
};

/// From a cache file of Kernel Tuner (its JSON; some lack the last braces) or results in the T4
/// format of the Auto-Tuning Association, plain or compressed by gzip.
class RecordedSpace {
 public:
  /// Throws SpecError, with the file and what is wrong; also where nothing can be scored: no two
  /// times differ, or trying took no time.
  static RecordedSpace read(const std::string& file);

  const std::string& name() const noexcept { return name_; }  ///< of the kernel and the device
  const std::vector<std::string>& parameters() const noexcept { return parameters_; }
  std::size_t size() const noexcept { return tries_.size(); }
  /// That passes only what was recorded. Valid as long as this is.
  SearchSpace space() const;
  /// Of a configuration of that space.
  const RecordedTry& at(const Configuration& configuration) const;
  const std::vector<RecordedTry>& tries() const noexcept { return tries_; }

 private:
  std::string name_;
  std::vector<std::string> parameters_;
  std::vector<std::uint32_t> lengths_;
  std::vector<std::uint32_t> places_;  ///< one above that in tries_, for each number; 0: none
  std::vector<RecordedTry> tries_;
};

}  // namespace kernelbatch
