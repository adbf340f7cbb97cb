// CUPTI's list of kernels. The library is opened at run time and listens only during a session.
#pragma once

#include <memory>
#include <string>

#include "core/device/launch_log.hpp"

namespace kernelbatch::cuda {

/// From open() to finish() or destruction every kernel, copy and memset of the process is recorded.
/// One at a time.
class CuptiSession {
 public:
  /// Null with a reason where CUPTI cannot be opened or another tool has it.
  static std::unique_ptr<CuptiSession> open(std::string& reason);
  ~CuptiSession();
  CuptiSession(const CuptiSession&) = delete;
  CuptiSession& operator=(const CuptiSession&) = delete;

  /// Kernels and transfers in the order in which they started, with starts in s since the first of
  /// them; the device must be idle. `reason` says what went wrong, if anything.
  LaunchList finish(std::string& reason);

 private:
  CuptiSession() = default;
  bool is_listening_ = true, lists_transfers_ = false;
};

/// Whether CUPTI can be used; `text` gets its file, or why not.
bool describe_cupti(std::string& text);

}  // namespace kernelbatch::cuda
