// Conversion of failures into results.
#pragma once

#include <exception>

#include "core/case/guard/process_state.hpp"
#include "core/case/message.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// Sets status, phase and reason from an exception of a variant or its preparation.
void record_failure(const std::exception& error, Phase phase, ResultRecord& record);

/// True if record_failure() would report a crash of the variant.
bool is_crash(const std::exception_ptr& failure);

/// Fails a variant that left the process in a harmful state. If it failed before, the reason is
/// extended.
void fail_for(const ProcessDelta& left, ResultRecord& record);

/// Replaces a record that is too large for a message by a failure with that reason.
void require_sendable(Result& result);

}  // namespace kernelbatch
