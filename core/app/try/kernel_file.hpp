// Files of `try`: kernels and inputs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/kernel/text/signature.hpp"

namespace kernelbatch::app {

struct NamedFile {
  std::string name;
  std::filesystem::path file;
};

/// "x=file.npy", or "x.npy", which is named x. Throws SpecError if there is no such file.
NamedFile named_file(const std::string& text);

struct TryKernel {
  std::string variant, file, entry;
  std::string given;  ///< the path as given
  std::vector<FormalParameter> parameters;
};

/// The kernel of a file, one of `entries` if it has several. Compiled code has the parameters of
/// `reference`. Throws SpecError that names the file.
TryKernel read_kernel(const std::string& file, const std::vector<std::string>& entries,
                      const std::optional<TryKernel>& reference);

/// The last word of "const float* __restrict__ x".
std::string name_of_parameter(const FormalParameter& parameter);

}  // namespace kernelbatch::app
