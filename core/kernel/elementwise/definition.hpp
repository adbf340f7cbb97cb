// ElementwiseDefinition: parameters, text and options that an elementwise kernel is made from.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/text/parameter.hpp"

namespace kernelbatch {

struct ElementwiseOptions {
  std::string preamble = {};           ///< text at file scope, after the placeholders' typedefs
  std::string loop_prep = {};          ///< text before the loop, once per thread
  std::string after_loop = {};         ///< text after the loop
  bool reduce_dims = true;             ///< merge axes; false keeps the user's axes for _ind.get()
  std::optional<int> block_size = {};  ///< threads per block, 1 to 1024; none = the device's choice
  std::vector<std::string> options = {};  ///< of the compiler
  /// Copies inputs that an output overlaps without being the same view, which costs time and memory
  /// in every such call; otherwise they are an error.
  bool copy_overlap = false;
};

struct ElementwiseDefinition {
  /// Throws SpecError for an invalid list, name or option.
  ElementwiseDefinition(std::string_view in_params, std::string_view out_params,
                        std::string_view text, std::string_view kernel_name,
                        ElementwiseOptions how);

  /// True if a token of the text is `i0`, `i1`, …: an index along an axis, not a parameter.
  bool names_axis(const std::string& token) const;
  /// True if the text may read an output before it assigns it, or leave it unchanged.
  bool keeps_old_value(const Parameter& output) const;

  std::vector<Parameter> in, out;
  std::string operation, name;
  ElementwiseOptions options;
  bool leaves = false;           ///< the text may leave an element early
  bool needs_axes = false;       ///< the text uses indices along axes
  bool sees_order = false;       ///< the text uses the index of its element
  bool has_loops = false;        ///< the text contains loops
  bool calls_functions = false;  ///< the text calls functions of more than an instruction or two
  /// True if the arrays are a chunk of larger ones: the last two inputs are then kChunkFirst, the
  /// linear index of the chunk's first element, and kChunkCount, the total number of elements.
  bool is_chunk = false;
};

/// A kernel that reads and writes the same elements without the operation. Nothing if the
/// definition does not determine that: an array is `raw`, or nothing is read.
std::optional<ElementwiseDefinition> without_arithmetic(const ElementwiseDefinition& definition);

/// A kernel that applies the operation to small constants and writes the same outputs. Nothing if
/// the definition does not determine that, or if the text contains loops.
std::optional<ElementwiseDefinition> without_loads(const ElementwiseDefinition& definition);

inline constexpr const char* kChunkFirst = "_chunk_first";
inline constexpr const char* kChunkCount = "_chunk_count";

}  // namespace kernelbatch
