// Exports results to other formats, as text and bytes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/result/output.hpp"
#include "core/result/reader.hpp"

namespace kernelbatch {

/// Tables supported by to_csv(): cases, samples, launches, kernels, checks.
std::vector<std::string> csv_tables();

/// One table as RFC 4180 CSV: a header, CRLF line ends, quoted cells if needed. Missing values are
/// empty. Rows of tables other than `cases` begin with case_id and variant. Throws SpecError for an
/// unknown table.
std::string to_csv(const ResultFile& file, std::string_view table);

/// The whole file except output elements, as one JSON object.
std::string to_json(const ResultFile& file);

/// Auto-tuning results in Kernel Tuner's format T4, schema 1.0.0. A configuration is workload,
/// variant and parameters; times are in milliseconds.
std::string to_t4(const ResultFile& file);

/// The cases as a Markdown table, a row for each result with export_columns().
std::string to_markdown(const ResultFile& file);

/// The same as a LaTeX `tabular` for the package booktabs; needs LaTeX of 2020 or later, or the
/// package textcomp.
std::string to_latex(const ResultFile& file);

/// An array as a .npy file, version 1. float16 and complex numbers use NumPy's types; bfloat16
/// becomes float32. An array stored as a sample has one axis.
std::vector<std::byte> to_npy(const StoredOutput& output);

/// Writes the cases as a table of fixed-size rows, `/cases/table`, readable by
/// pandas.read_hdf(path). Replaces `path`. Throws StoreError.
void write_flat_table(const ResultFile& file, const std::filesystem::path& path);

}  // namespace kernelbatch
