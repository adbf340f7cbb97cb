// Redirection of calls between the libraries of this process.
#pragma once

namespace cheats {

/// Redirects every call of `symbol` from kernelbatch's library to `to`.
void redirect_calls(const char* symbol, void* to);

}  // namespace cheats
