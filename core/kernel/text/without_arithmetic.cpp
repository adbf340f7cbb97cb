#include "core/kernel/text/without_arithmetic.hpp"

#include <fmt/format.h>

namespace kernelbatch {

// Combines bits by "or", so that no result is a denormal number, which is slow on CPUs.
const char* const kBitsPreamble = R"(
template <class _T> KERNELBATCH_INLINE unsigned _bits_of(const _T& _value) {
  unsigned _words[(sizeof(_T) + 3) / 4] = {};
  memcpy(_words, &_value, sizeof(_T));
  unsigned _all = 0;
  for (unsigned _k = 0; _k < (sizeof(_T) + 3) / 4; ++_k) _all |= _words[_k];
  return _all;
}
template <class _T> KERNELBATCH_INLINE _T _value_of(unsigned _bits) {
  unsigned _words[(sizeof(_T) + 3) / 4];
  for (unsigned _k = 0; _k < (sizeof(_T) + 3) / 4; ++_k) _words[_k] = sizeof(_T) == 1 ? _bits & 1 : _bits;
  _T _value;
  memcpy(&_value, _words, sizeof(_T));
  return _value;
}
template <class _T> struct _plain { typedef _T type; };
template <class _T> struct _plain<_T&> { typedef _T type; };
)";

std::string bits_of(const std::vector<std::string>& variables) {
  std::string text = "0u";
  for (const std::string& variable : variables) text += fmt::format(" | _bits_of({})", variable);
  return text;
}

std::string assigned_bits(const std::string& variable, const std::string& bits) {
  return fmt::format("{0} = _value_of<typename _plain<decltype({0})>::type>({1});", variable, bits);
}

}  // namespace kernelbatch
