#include "core/case/guard/process_watch.hpp"

namespace kernelbatch {

ProcessDelta ProcessWatch::take_changes() {
  ProcessState now = ProcessState::now();
  ProcessDelta left = ProcessState::difference(last_, now);
  // Several small leaks add up to too many.
  if (now.descriptors() > first_.descriptors() + 8 * ProcessState::kLeak) must_renew_ = true;
  if (!left.recoverable.empty()) must_renew_ = true;
  last_ = std::move(now);
  running_.clear();
  return left;
}

}  // namespace kernelbatch
