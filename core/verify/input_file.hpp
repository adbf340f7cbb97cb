// Inputs from files of every format.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>

#include "core/array/array.hpp"
#include "core/array/matrix_market.hpp"

namespace kernelbatch {

/// A path in a job: `a.npy`, `a.npz:name`, `a.mtx`, `a.h5:/path`.
struct InputPath {
  std::filesystem::path file;
  std::string member;  ///< array of an archive or path in an HDF5 file; may be empty
};
InputPath split_input_path(const std::string& text);

/// Reads a file according to its extension. An archive or HDF5 file with one array needs no member.
/// Throws SpecError naming the file and the error.
std::variant<CsrMatrix, Array> read_input_file(const InputPath& path);

/// From here on read_input_file() keeps what it reads, and returns it again for the same path: the
/// file may be out of reach then.
void keep_input_files();

/// Dtype and shape of its array if the format has them at the beginning (.npy, .npz); else nothing.
/// Throws like read_input_file().
std::optional<ArrayForm> input_form(const InputPath& path);

}  // namespace kernelbatch
