#include "core/app/capture/form.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/quantity.hpp"
#include "core/base/text.hpp"

namespace kernelbatch::app {
namespace {

DType stored_dtype(const std::string& name, const std::string& text) {
  const auto dtype = dtype_named(name);
  // NumPy's files have a code for bfloat16, although NumPy has no such type.
  if (!dtype || (info(*dtype).npy_code.empty() && *dtype != DType::kBFloat16))
    throw SpecError(fmt::format("--dtype {}: arrays of '{}' cannot be stored", text, name));
  return *dtype;
}

Shape captured_shape(std::string_view list, const std::string& text) {
  std::vector<std::int64_t> extents;
  for (const std::string& part : split(list, ',')) {
    const auto extent = try_parse_integer(trim(part));
    if (!extent || *extent < 1)
      throw SpecError(fmt::format("--dtype {}: '{}' is no length", text, part));
    extents.push_back(*extent);
  }
  return Shape(extents);
}

}  // namespace

CapturedForms read_forms(const std::vector<std::string>& texts) {
  CapturedForms forms;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('='), bracket = text.find('[');
    const std::string name = equals == std::string::npos ? "" : text.substr(0, equals);
    const std::size_t begin = equals == std::string::npos ? 0 : equals + 1;
    CapturedForm form{.dtype = stored_dtype(text.substr(begin, bracket - begin), text)};
    if (bracket != std::string::npos) {
      if (name.empty() || !text.ends_with(']'))
        throw SpecError(fmt::format("--dtype {}: a shape is written p0=float32[512,781]", text));
      form.shape = captured_shape(
          std::string_view(text).substr(bracket + 1, text.size() - bracket - 2), text);
    }
    forms[name] = form;
  }
  return forms;
}

}  // namespace kernelbatch::app
