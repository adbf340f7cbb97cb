#include "core/case/failure.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/case/guard/channel.hpp"

namespace kernelbatch {

void record_failure(const std::exception& error, Phase phase, ResultRecord& record) {
  record.status = Status::kFailed;
  record.phase = phase;
  record.reason = split(error.what(), '\n').front();
  record.verified = false;
  record.retryable = dynamic_cast<const EnvironmentFailure*>(&error) != nullptr ||
                     dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
  if (dynamic_cast<const OutOfMemoryError*>(&error) != nullptr) {
    record.status = Status::kOutOfMemory;
  } else if (dynamic_cast<const UnsupportedError*>(&error) != nullptr) {
    record.status = Status::kSkipped;
  } else if (const auto* wrong = dynamic_cast<const VerificationError*>(&error)) {
    record.status = Status::kVerificationFailed;
    record.fault = wrong->fault();
  } else if (const auto* compile = dynamic_cast<const CompileError*>(&error)) {
    record.status = Status::kCompileFailed;
    record.phase = Phase::kCompile;
    record.detail = compile->log();
  } else if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    record.status = Status::kOutOfMemory;
    record.reason = "the host is out of memory";
  } else if (dynamic_cast<const RunError*>(&error) != nullptr) {
    record.status = Status::kCrashed;
  }
}

bool is_crash(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    ResultRecord record;
    record_failure(error, Phase::kNone, record);
    return record.status == Status::kCrashed;
  } catch (...) {
    return false;
  }
}

void fail_for(const ProcessDelta& left, ResultRecord& record) {
  const std::string reason = fmt::format("the variant {}", left.fatal);
  const Status known = record.status;
  if (known == Status::kOk || known == Status::kVerificationFailed || known == Status::kSuspect ||
      known == Status::kDropped) {
    record.status = Status::kFailed;
    record.phase = Phase::kRun;
    record.reason = reason;
  } else {
    record.reason += "; " + reason;
  }
  record.verified = false;
}

void require_sendable(Result& result) {
  ResultRecord& record = result.record;
  const std::size_t bytes = to_frame(Reply(Result{record, {}, false})).size();
  if (bytes <= Channel::kLargestFrame - (std::size_t{1} << 20)) return;
  record_failure(std::runtime_error(fmt::format(
                     "its record takes {}, and no more than {} are stored: it has {} samples "
                     "(measure.stop.max_samples) and {} launches",
                     format_bytes(bytes), format_bytes(Channel::kLargestFrame),
                     record.samples.size(), record.launches.size())),
                 Phase::kWrite, record);
  record.samples.clear();
  record.launches.clear();
  record.kernels.clear();
  record.outputs.clear();
  record.detail.clear();
  result.outputs.clear();
}

}  // namespace kernelbatch
