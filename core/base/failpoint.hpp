// Named places in the code at which a test can make it fail or die. Builds without
// KERNELBATCH_FAILPOINTS contain none.
#pragma once

namespace kernelbatch {

/// Performs the action requested for `name` by the variable KERNELBATCH_FAILPOINT:
///   name:3:fail   throws StoreError, as for a full disk, the third time it is reached;
///   name:3:kill   ends the process by SIGKILL;
///   list:FILE     appends the name to FILE, each time.
/// After it has failed once, a failpoint has no further effect.
void reach_failpoint(const char* name);

}  // namespace kernelbatch

#ifdef KERNELBATCH_FAILPOINTS
#define KERNELBATCH_FAILPOINT(name) ::kernelbatch::reach_failpoint(name)
#else
#define KERNELBATCH_FAILPOINT(name) static_cast<void>(0)
#endif
