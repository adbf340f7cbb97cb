// Record of one captured launch: a folder with the launch, its image and its memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/device/cuda/capture/launch.hpp"
#include "core/device/cuda/capture/memory.hpp"
#include "core/device/cuda/capture/ptx_sources.hpp"

namespace kernelbatch::capture {

/// A variable of the kernel's module.
struct Variable {
  std::string name = {};  ///< mangled
  Block block = {};
  std::string initial = {};  ///< contents when the module was loaded

  /// False if a newly loaded module has the same contents, before the launch and after it.
  bool is_set() const;
};

/// Everything that a record contains.
struct Capture {
  Launch launch = {};
  std::string image = {};            ///< cubin; empty if it was not found
  std::vector<Ptx> ptx = {};         ///< from which the image may be compiled
  std::uint64_t images_of_name = 0;  ///< loaded images that have a kernel of this name
  std::string device = {};
  std::vector<Block> blocks = {};
  std::vector<std::uint64_t> pointers = {};
  std::vector<Variable> variables = {};
  std::string reason = {};  ///< why memory is missing; empty if it is complete
};

/// Writes a file that only the user may read, under a temporary name first. Throws
/// std::runtime_error.
void write_private(const std::filesystem::path& file, std::string_view content);

/// Writes the record into `folder`, which appears when it is complete. Throws std::runtime_error.
void write_record(const Capture& capture, const std::filesystem::path& folder);

/// A .npy file's first 128 bytes, for unsigned bytes.
std::string npy_header(std::uint64_t bytes);

}  // namespace kernelbatch::capture
