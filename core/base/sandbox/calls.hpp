// System calls that the sandbox refuses.
#pragma once

namespace kernelbatch {

/// False if kernelbatch was built without libseccomp.
bool has_call_filter() noexcept;

/// Refuses the calls to all threads of this process. `refuses_writing`: also calls that open files
/// for writing, or change folders. Throws EnvironmentError.
void refuse_calls(bool refuses_writing);

}  // namespace kernelbatch
