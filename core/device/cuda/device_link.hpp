// Linking relocatable device code with the device runtime, for kernels that launch kernels.
#pragma once

#include <string>
#include <string_view>

namespace kernelbatch::cuda {

/// A cubin that can be loaded, of a relocatable one and libcudadevrt.a, by nvJitLink (opened at run
/// time). `beside` is a library of the toolkit in whose folder the others are looked for too.
/// Throws UnsupportedError naming what is missing, CompileError with the linker's log.
std::string link_device_code(const std::string& object, std::string_view target,
                             const std::string& name, const std::string& beside);

}  // namespace kernelbatch::cuda
