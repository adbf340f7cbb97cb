// ReductionDefinition: parameters, texts and options that a reduction kernel is made from.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/text/parameter.hpp"

namespace kernelbatch {

struct ReductionOptions {
  std::string preamble = {};     ///< text at file scope, after the placeholders' typedefs
  std::string reduce_type = {};  ///< any trivially copyable C++ type; empty = the first output's
  std::vector<std::string> options = {};  ///< of the compiler
  /// The operator commutes: elements may be combined in any order, which is faster if rows are
  /// short or columns few. Sums, products, minima and maxima of numbers are detected.
  bool commutes = false;
  int reduce_bytes = 0;  ///< of a reduce_type that is not a number, if its size is known
  /// Copies inputs that an output overlaps, which costs time and memory in every such call;
  /// otherwise they are an error.
  bool copy_overlap = false;
};

struct ReductionDefinition {
  /// Throws SpecError for an invalid list or name.
  ReductionDefinition(std::string_view in_params, std::string_view out_params,
                      std::string_view map_text, std::string_view reduce_text,
                      std::string_view post_map_text, std::optional<std::string> identity_text,
                      std::string_view kernel_name, ReductionOptions how);

  /// True if post_map may read an output before it assigns it, or leave it unchanged.
  bool keeps_old_value(const Parameter& output) const;

  /// Size of a value that is reduced, at most, if it is small.
  std::size_t reduced_bytes(DType first_output) const;

  std::vector<Parameter> in, out;
  std::string map, reduce, post_map;
  std::optional<std::string> identity;
  std::string name;
  ReductionOptions options;
  bool counts_inputs = false;  ///< the map uses `_j`
  bool reduces_small = false;  ///< a number, or a struct of that size
  bool commutes = false;  ///< the operator is known to commute: a sum, a product, a minimum, …
  /// True if the arrays are a chunk of larger ones: the last inputs are then kChunkOffsets, the
  /// chunk's position in the whole.
  bool is_chunk = false;
  /// True if outputs are joined with those of the previous chunks: the last output is then the raw
  /// array kChunkCarry, with room for one partial result of each output.
  bool carries = false;
};

/// A kernel that reads the same elements without the map, and combines the same number of them.
/// Nothing if the definition does not determine that: an array is `raw`, or nothing is read.
std::optional<ReductionDefinition> without_arithmetic(const ReductionDefinition& definition);

/// Total elements and outputs; of the chunk: the first output, the first element of an output and
/// the first linear index; whether it is not the first chunk; whether it is the last.
inline constexpr const char* kChunkOffsets[] = {
    "_chunk_in_count", "_chunk_out_count", "_chunk_i",   "_chunk_J",
    "_chunk_j",        "_chunk_continues", "_chunk_ends"};
inline constexpr const char* kChunkCarry = "_chunk_carry";

}  // namespace kernelbatch
