// import --triton: a kernel in a cache folder of Triton as an inline job.
#pragma once

#include <filesystem>
#include <string>

namespace kernelbatch::app {

/// The job's text, for the kernel of that name or the only one in the folder and the folders below
/// it. Throws SpecError with the names if there is none or more than one.
std::string triton_job(const std::filesystem::path& folder, const std::string& kernel);

}  // namespace kernelbatch::app
