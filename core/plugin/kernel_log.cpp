#include "core/plugin/kernel_log.hpp"

namespace kernelbatch {

ProgramLog take_kernel_log() { return take_program_log(); }

}  // namespace kernelbatch
