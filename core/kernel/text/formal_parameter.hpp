// A kernel's parameter, as its source declares it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/array/dtype.hpp"

namespace kernelbatch {

/// One parameter of a `__global__` function, as far as its text tells without compiling it.
struct FormalParameter {
  enum class Kind : std::uint8_t {
    kUnknown,  ///< a typedef, a struct, a template of someone else: only its size is known
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
  /// Number of the template parameter that the type, or that of the elements, is; -1 = none.
  int bound = -1;
  bool is_read_only = false;        ///< of a pointer: what it points to is const
  bool is_plain_char = false;       ///< `char`, which stands for int8 and uint8
  int rank = 0;                     ///< of a view or mdspan; -1 = the text does not tell
  bool wants_contiguous = false;    ///< of a view
  Layout layout = Layout::kRight;   ///< of a mdspan
  std::size_t index_bytes = 0;      ///< of a mdspan's extents: 4 or 8
  std::vector<std::int64_t> fixed;  ///< a mdspan's extents; -1 where known at run time only

  /// Whether elements or a scalar of `given` are what the parameter takes.
  bool takes(DType given) const noexcept;
  /// Bytes that the parameter must have; nothing where the text does not tell.
  std::optional<std::size_t> bytes() const;
};

}  // namespace kernelbatch
