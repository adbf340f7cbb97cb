// A kernel's parameter, as declared in its source.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/array/dtype.hpp"

namespace kernelbatch {

/// One parameter of a `__global__` function, as far as known without compiling.
struct FormalParameter {
  enum class Kind : std::uint8_t {
    kUnknown,  ///< a typedef, a struct, an unknown template: only its size is known
    kDeduced,  ///< a template parameter's type, which follows from the argument
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
  std::optional<DType> dtype;  ///< of the scalar or the elements; nothing = any (`void*`)
  /// Index of the template parameter that is the type, or the elements' type; -1 = none.
  int bound = -1;
  bool is_read_only = false;        ///< of a pointer: to const
  bool is_plain_char = false;       ///< `char`, which stands for int8 and uint8
  int rank = 0;                     ///< of a view or mdspan; -1 = unknown
  bool wants_contiguous = false;    ///< of a view
  Layout layout = Layout::kRight;   ///< of a mdspan
  std::size_t index_bytes = 0;      ///< of a mdspan's extents: 4 or 8
  std::vector<std::int64_t> fixed;  ///< a mdspan's extents; -1 if known only at run time

  /// True if the parameter accepts elements or a scalar of dtype `given`.
  bool takes(DType given) const noexcept;
  /// Bytes that the parameter must have; nothing if unknown.
  std::optional<std::size_t> bytes() const;
};

}  // namespace kernelbatch
