// Variants written in a job, as plain data: every expression evaluated, every file found.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/array/hidden_array.hpp"
#include "core/array/number.hpp"
#include "core/array/view.hpp"
#include "core/base/tensor_choices.hpp"
#include "core/inline/job_lines.hpp"
#include "core/job/kernel_definition.hpp"
#include "core/kernel/texture/texture.hpp"

namespace kernelbatch {

/// An array given by the job, in plain host memory: `array` is a view of `base`, which is
/// contiguous and contains all of it. Or one number.
struct InlineInput {
  std::string name;
  Array array = {}, base = {};
  std::optional<Number> scalar = {};
  std::optional<DType> dtype = {};  ///< of the number; nothing = it does not affect types
};

/// Memory that a kernel writes to, or (if `of` is not empty) a view of such memory.
struct InlineBuffer {
  std::string name;
  ArrayForm form = {};
  std::optional<Number> fill = {};
  Array initial = {};
  std::string units = "1";
  std::vector<std::string> dimensions = {};
  std::string of = {};
  std::vector<ViewStep> steps = {};
  bool is_scratch = false;  ///< between the steps of one variant, and no output
};

/// A tensor map of an input or output. Lists have the innermost axis first; an empty one follows
/// from the array.
struct InlineTensorMap {
  std::string array;
  SourcePlace place = {};
  std::vector<std::int64_t> box = {}, dims = {};
  std::vector<std::int64_t> strides = {};  ///< bytes; not of the innermost axis
  std::vector<std::int64_t> element_strides = {};
  std::optional<TensorType> type = {};
  TensorInterleave interleave = TensorInterleave::kNone;
  TensorSwizzle swizzle = TensorSwizzle::kNone;
  TensorPromotion promotion = TensorPromotion::kNone;
  TensorFill fill = TensorFill::kZeros;
};

/// One argument of a kernel: an input or output by name, perhaps a view of it, or a number.
struct InlineArgument {
  std::string array = {};
  std::vector<ViewStep> steps = {};
  Number number = {};
  std::optional<DType> dtype = {};
  std::string bytes = {};                          ///< of a struct
  std::optional<InlineTensorMap> tensor_map = {};  ///< of `array`
};

/// A texture of an input, under a name that arguments use.
struct InlineTexture {
  std::string name, of;
  int channels = 1;
  bool is_linear = false;  ///< plain memory instead of a device-specific layout
  TextureSampling sampling = {};
};

/// A surface with an output's initial contents; it is copied to the output after each launch.
struct InlineSurface {
  std::string name, of;
  int channels = 1;
};

/// A variable of the module: an input is copied to it before the first launch, or it is copied to
/// an output after each.
struct InlineGlobal {
  std::string name, array;
};

/// An array at the address that it had in the program from which the kernel was captured.
struct InlineAddress {
  std::string array;
  std::uint64_t address = 0;
};

struct InlineStepDefinition {
  KernelDefinition kernel;
  std::optional<std::vector<InlineArgument>> arguments = {};  ///< nothing: by parameters' names
  std::vector<InlineTexture> textures = {};
  std::vector<InlineSurface> surfaces = {};
  std::vector<InlineGlobal> globals = {};
  std::vector<InlineAddress> addresses = {};
  std::vector<TextPlace> texts = {};  ///< places of its texts in the job
  SourcePlace place = {};
  std::string title = {};  ///< in messages
};

struct InlineVariantDefinition {
  std::string name;
  std::vector<InlineStepDefinition> steps = {};
  std::vector<InlineBuffer> scratch = {};
};

/// Expected values for the verification of outputs.
struct InlineReference {
  enum class Kind : std::uint8_t { kNone, kValues, kVariant, kCpp };
  Kind kind = Kind::kNone;
  std::vector<std::pair<std::string, HiddenArray>> values = {};  ///< contiguous, by output
  bool is_unnamed = false;  ///< one array of a file, for the only output whatever its name
  std::string variant = {};
  std::string body = {}, preamble = {};  ///< of kCpp: C++ that uses inputs and outputs by name
};

}  // namespace kernelbatch
