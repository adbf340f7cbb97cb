// A statement of inline PTX as C++: what a GPU's instructions do, done by the host.
#pragma once

#include <string>

#include "core/device/host/text/asm_statement.hpp"

namespace kernelbatch::host {

/// One C++ statement in one line, without a semicolon at its end. Throws UnsupportedError, which
/// names the instruction, for one that the host device does not have.
std::string translate_ptx(const AsmStatement& statement);

}  // namespace kernelbatch::host
