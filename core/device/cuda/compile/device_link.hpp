// Linking relocatable device code with the device runtime, for kernels that launch kernels.
#pragma once

#include <string>
#include <string_view>

namespace kernelbatch::cuda {

/// Links a relocatable cubin with libcudadevrt.a into a loadable one, using nvJitLink (opened at
/// run time). The folder of the toolkit library `beside` is searched too. Throws UnsupportedError
/// naming the missing part, CompileError with the linker's log.
std::string link_device_code(const std::string& object, std::string_view target,
                             const std::string& name, const std::string& beside);

}  // namespace kernelbatch::cuda
