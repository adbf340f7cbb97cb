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
  /// Inputs that an output overlaps without being the same view are copied first, which costs time
  /// and memory in every such call; without this they are an error.
  bool copy_overlap = false;
};

struct ElementwiseDefinition {
  /// Throws SpecError for a list, name or option that is not valid.
  ElementwiseDefinition(std::string_view in_params, std::string_view out_params,
                        std::string_view text, std::string_view kernel_name,
                        ElementwiseOptions how);

  /// Whether a token of the text is `i0`, `i1`, …: an index along an axis, not a parameter.
  bool names_axis(const std::string& token) const;
  /// Whether the text may read an output before it assigns it, or leave it as it was.
  bool keeps_old_value(const Parameter& output) const;

  std::vector<Parameter> in, out;
  std::string operation, name;
  ElementwiseOptions options;
  bool leaves = false;           ///< the text may be done with an element before its end
  bool needs_axes = false;       ///< the text asks for indices along axes
  bool sees_order = false;       ///< the text asks which element it is at
  bool has_loops = false;        ///< the text loops itself
  bool calls_functions = false;  ///< the text calls more than what takes an instruction or two
  /// Whether the arrays are a chunk of larger ones: the inputs then end with the linear index of
  /// the chunk's first element and the number of elements in all, kChunkFirst and kChunkCount.
  bool is_chunk = false;
};

/// A kernel that reads and writes the same elements without the operation. Nothing where that
/// cannot be told from the definition: an array is `raw`, or nothing is read.
std::optional<ElementwiseDefinition> without_arithmetic(const ElementwiseDefinition& definition);

/// A kernel that does the operation on small numbers of its own and writes the same outputs.
/// Nothing where that cannot be told from the definition, or where the text loops.
std::optional<ElementwiseDefinition> without_loads(const ElementwiseDefinition& definition);

inline constexpr const char* kChunkFirst = "_chunk_first";
inline constexpr const char* kChunkCount = "_chunk_count";

}  // namespace kernelbatch
