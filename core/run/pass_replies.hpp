// PassReplies: handles a worker's replies to one request.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/error.hpp"
#include "core/case/message.hpp"
#include "core/run/variant_results.hpp"

namespace kernelbatch {

class PassReplies {
 public:
  PassReplies(const PassPlace& place, VariantResults& results, const CaseRequest& request)
      : place_(place), results_(results), request_(request) {}

  /// kAgain: the pass needs another worker.
  enum class Next : std::uint8_t { kContinue, kAgain, kDone };
  /// Throws an Error if the reply is invalid, DeviceError if there is no device.
  Next take(Reply& reply);

  const WorkerActivity& activity() const noexcept { return activity_; }
  /// Number of results received.
  std::size_t results() const noexcept { return count_; }

 private:
  Next take(Opened& opened);
  Next take(PhaseChange& change);
  Next take(CaseEta& left);
  Next take(Calibrated& calibrated);
  Next take(Result& result);
  Next take(Found& found);
  Next take(Renew& renew);
  Next take(CaseDone& done);
  Next take(Failed& failed);
  template <class Unasked>
  Next take(Unasked&) {
    throw RunError("it answered a request that was not sent");
  }
  void count_progress();
  void complete(ResultRecord& record);
  void end_worker() noexcept;
  Next next_worker() const;

  const PassPlace& place_;
  VariantResults& results_;
  const CaseRequest& request_;
  WorkerActivity activity_;
  std::size_t progress_ = 0, count_ = 0;  ///< number of messages of this request
};

}  // namespace kernelbatch
