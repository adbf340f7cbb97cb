// Named places in the code at which a test makes it fail or die. In builds without
// KERNELBATCH_FAILPOINTS nothing is left of them.
#pragma once

namespace kernelbatch {

/// At the place called `name`, what the variable KERNELBATCH_FAILPOINT asks for:
///   name:3:fail   the third time that it is reached, throws StoreError as a full disk would;
///   name:3:kill   ends the process by SIGKILL;
///   list:FILE     appends the name to FILE, each time.
/// Once it has failed, a failpoint lets everything pass.
void reach_failpoint(const char* name);

}  // namespace kernelbatch

#ifdef KERNELBATCH_FAILPOINTS
#define KERNELBATCH_FAILPOINT(name) ::kernelbatch::reach_failpoint(name)
#else
#define KERNELBATCH_FAILPOINT(name) static_cast<void>(0)
#endif
