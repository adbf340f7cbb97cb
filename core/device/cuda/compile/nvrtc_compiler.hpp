// NVRTC, opened at run time: kernel text → cubin. Needs no driver and no GPU.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/device/device.hpp"

namespace kernelbatch::cuda {

/// A compiler for "sm_90" and the like. Throws DeviceError if NVRTC cannot be opened.
std::unique_ptr<Compiler> make_nvrtc_compiler(std::string_view target);
/// The same, with line information in the code.
std::unique_ptr<Compiler> make_compiler_with_lines(std::string_view target);

/// "13.0 from /usr/…/libnvrtc.so.13", or the reason why it cannot be used.
std::string nvrtc_description();

}  // namespace kernelbatch::cuda
