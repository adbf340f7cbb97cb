// Calls between the libraries of this process.
#pragma once

namespace cheats {

/// Makes every call of `symbol` from kernelbatch's library one of `to`.
void redirect_calls(const char* symbol, void* to);

}  // namespace cheats
