// How what went wrong becomes a result.
#pragma once

#include <exception>

#include "core/case/message.hpp"
#include "core/case/process_state.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// Sets status, phase and reason from what a variant or its preparation threw.
void record_failure(const std::exception& error, Phase phase, ResultRecord& record);

/// Whether record_failure() would say that the variant crashed.
bool is_crash(const std::exception_ptr& failure);

/// The variant left the process as others must not find it.
void fail_for(const Residue& left, ResultRecord& record);

/// Turns a record that is too large for a message into a failure that says so.
void require_sendable(Result& result);

}  // namespace kernelbatch
