// A file for readers that take a path.
#pragma once

#include <filesystem>
#include <string>

#include "tests/fuzz/targets.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch::fuzz {

/// Writes `input` to a file of that name in a folder of this process, replacing any previous file.
std::filesystem::path scratch_file(const std::string& name, Bytes input);

}  // namespace kernelbatch::fuzz
