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
  /// The operator commutes: elements may be combined in any order, which is faster where rows are
  /// short or columns few. Sums, products, minima and maxima of numbers are known to.
  bool commutes = false;
  int reduce_bytes = 0;  ///< of a reduce_type that is no number, where the size is known
  /// Inputs that an output overlaps are copied first, which costs time and memory in every such
  /// call; without this they are an error.
  bool copy_overlap = false;
};

struct ReductionDefinition {
  /// Throws SpecError for a list or name that is not valid.
  ReductionDefinition(std::string_view in_params, std::string_view out_params,
                      std::string_view map_text, std::string_view reduce_text,
                      std::string_view post_map_text, std::optional<std::string> identity_text,
                      std::string_view kernel_name, ReductionOptions how);

  /// Whether post_map may read an output before it assigns it, or leave it as it was.
  bool keeps_old_value(const Parameter& output) const;

  std::vector<Parameter> in, out;
  std::string map, reduce, post_map;
  std::optional<std::string> identity;
  std::string name;
  ReductionOptions options;
  bool counts_inputs = false;  ///< the map asks for `_j`
  bool reduces_small = false;  ///< a number, or a struct as small as one
  bool commutes = false;       ///< the operator surely does: a sum, a product, a minimum, …
  /// Whether the arrays are a chunk of larger ones: the inputs then end with kChunkOffsets, which
  /// say where it lies in the whole.
  bool is_chunk = false;
  /// Whether outputs are joined with those of the chunks before: the last output is then the raw
  /// array kChunkCarry, with room for one partial result of each output.
  bool carries = false;
};

/// A kernel that reads the same elements without the map, and joins as many of them. Nothing where
/// that cannot be told from the definition: an array is `raw`, or nothing is read.
std::optional<ReductionDefinition> without_arithmetic(const ReductionDefinition& definition);

/// Elements and outputs in all; of the chunk the first output, the first element of an output and
/// the first linear index; whether there was a chunk before; whether there is none after it.
inline constexpr const char* kChunkOffsets[] = {
    "_chunk_in_count", "_chunk_out_count", "_chunk_i",   "_chunk_J",
    "_chunk_j",        "_chunk_continues", "_chunk_ends"};
inline constexpr const char* kChunkCarry = "_chunk_carry";

}  // namespace kernelbatch
