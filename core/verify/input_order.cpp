#include "core/verify/input_order.hpp"

#include <algorithm>
#include <type_traits>

namespace kernelbatch {
namespace {

/// True for integers that may be offsets or sizes: other values may make a kernel access arbitrary
/// memory.
bool may_be_places(const Array& array) {
  constexpr std::int64_t kFew = 16;
  const DTypeKind kind = info(array.dtype()).kind;
  if (kind != DTypeKind::kSigned && kind != DTypeKind::kUnsigned) return false;
  if (array.size() <= kFew) return true;
  return dispatch(array.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      const auto values = array.as<T>();
      return std::ranges::is_sorted(values);
    }
    return false;
  });
}

}  // namespace

Array in_another_order(const Array& array, RandomSource& random) {
  if (array.size() < 2 || random.has_made(array)) return array;
  if (!array.is_contiguous() && array.transpose().is_contiguous())
    return in_another_order(array.transpose(), random).transpose();
  const Array whole = contiguous(array);
  return may_be_places(whole) ? array : random.reordered(whole);
}

}  // namespace kernelbatch
