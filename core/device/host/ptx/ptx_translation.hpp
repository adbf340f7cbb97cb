// Translates a statement of inline PTX to C++.
#pragma once

#include <string>

#include "core/device/host/text/asm_statement.hpp"

namespace kernelbatch::host {

/// One C++ statement on one line, without a final semicolon. Throws UnsupportedError naming the
/// instruction if the host device lacks it.
std::string translate_ptx(const AsmStatement& statement);

}  // namespace kernelbatch::host
