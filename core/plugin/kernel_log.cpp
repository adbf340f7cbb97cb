#include "core/plugin/kernel_log.hpp"

#include "core/kernel/cache.hpp"

namespace kernelbatch {

ProgramLog take_kernel_log() { return take_program_log(); }

std::optional<std::filesystem::path> kernel_cache_folder() { return cache_folder(); }

}  // namespace kernelbatch
