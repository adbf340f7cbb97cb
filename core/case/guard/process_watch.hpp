// ProcessWatch: what the variants of a case do to their process, one after another.
#pragma once

#include <string>
#include <utility>

#include "core/case/guard/process_state.hpp"

namespace kernelbatch {

class ProcessWatch {
 public:
  /// Before the first variant.
  void begin() { first_ = last_ = ProcessState::now(); }
  void run(std::string variant) { running_ = std::move(variant); }
  /// Last variant that ran, until its changes are taken.
  const std::string& running() const noexcept { return running_; }
  /// Changes that the running variant made; none runs then.
  ProcessDelta take_changes();
  /// Changes so far are valid for this case, but the next one needs a fresh process.
  bool must_renew() const noexcept { return must_renew_; }
  /// Changes so far are made by every process of this case.
  void accept_changes() noexcept { must_renew_ = false; }

 private:
  ProcessState first_, last_;  ///< before the first variant; before the current one
  std::string running_;
  bool must_renew_ = false;
};

}  // namespace kernelbatch
