// Results in other programs' forms, as text and bytes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/result/output.hpp"
#include "core/result/reader.hpp"

namespace kernelbatch {

/// The tables that to_csv() knows: cases, samples, launches, kernels, checks.
std::vector<std::string> csv_tables();

/// One table as RFC 4180 has it: a header, CRLF line ends, quotes where a cell needs them. Missing
/// values are empty. Rows of tables other than `cases` begin with case_id and variant. Throws
/// SpecError for an unknown table.
std::string to_csv(const ResultFile& file, std::string_view table);

/// The whole file but for outputs' elements, as one JSON object.
std::string to_json(const ResultFile& file);

/// Auto-tuning results in Kernel Tuner's form T4, schema 1.0.0: a configuration is workload,
/// variant and parameters; times in milliseconds.
std::string to_t4(const ResultFile& file);

/// An array as a .npy file, version 1: float16 and complex numbers as NumPy has them, bfloat16,
/// which it lacks, as float32. An array of which only a sample was kept has one axis.
std::vector<std::byte> to_npy(const StoredOutput& output);

/// Writes the cases as one table of fixed-size rows, `/cases/table`, which pandas.read_hdf(path)
/// reads. Replaces `path` as a whole. Throws StoreError.
void write_flat_table(const ResultFile& file, const std::filesystem::path& path);

}  // namespace kernelbatch
