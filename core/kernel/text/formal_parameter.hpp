// A kernel's parameters, as its source declares them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/array/dtype.hpp"

namespace kernelbatch {

/// One parameter of a `__global__` function, as far as its text tells without compiling it.
struct FormalParameter {
  enum class Kind : std::uint8_t {
    kUnknown,  ///< a typedef, a struct, a template of someone else: only its size is known
    kScalar,
    kPointer,
    kView,    ///< kernelbatch::array_view
    kMdspan,  ///< cuda::std::mdspan
    kTexture,
    kSurface,
  };
  enum class Layout : std::uint8_t { kRight, kLeft, kStride };

  std::string text;  ///< for messages: "const float* x2"
  Kind kind = Kind::kUnknown;
  std::optional<DType> dtype;       ///< of the scalar or the elements; nothing = any (`void*`)
  bool is_plain_char = false;       ///< `char`, which stands for int8 and uint8
  int rank = 0;                     ///< of a view or mdspan
  bool wants_contiguous = false;    ///< of a view
  Layout layout = Layout::kRight;   ///< of a mdspan
  std::size_t index_bytes = 0;      ///< of a mdspan's extents: 4 or 8
  std::vector<std::int64_t> fixed;  ///< a mdspan's extents; -1 where known at run time only

  /// Whether elements or a scalar of `given` are what the parameter takes.
  bool takes(DType given) const noexcept;
  /// Bytes that the parameter must have; nothing for an unknown one.
  std::optional<std::size_t> bytes() const;
};

/// The parameters of the kernel that `entry` names: a function ("scale") or an instance of a
/// template ("fx3<float>", whose arguments are put in). Nothing where the text does not have the
/// function, makes it by a macro, or has it several times with different parameters.
std::optional<std::vector<FormalParameter>> find_parameters(std::string_view source,
                                                            std::string_view entry);

/// Names of all functions, templates left out, that the text marks `__global__`, in order.
std::vector<std::string> kernel_names(std::string_view source);

}  // namespace kernelbatch
