// Source of a raw kernel, in the form that compilers and loaders take.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/raw/kernel.hpp"

namespace kernelbatch {

/// A kernel source, and the owner of the compiled code that it may view.
struct RawSource {
  KernelSource source;
  std::string binary;          ///< code of a file, viewed by `source.prebuilt`
  std::filesystem::path file;  ///< of compiled code; empty otherwise
};

RawSource raw_source(std::string_view text, std::string_view fatbin,
                     std::vector<std::string> entries, RawOptions options);
RawSource raw_source(const KernelFile& file, std::vector<std::string> entries, RawOptions options);

}  // namespace kernelbatch
