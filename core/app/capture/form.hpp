// Forms of captured arrays, as the user knows them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/array/dtype.hpp"
#include "core/array/shape.hpp"

namespace kernelbatch::app {

struct CapturedForm {
  DType dtype = DType::kUInt8;
  std::optional<Shape> shape = {};  ///< nothing: one axis
};

/// Forms by array; "" for all others.
using CapturedForms = std::map<std::string, CapturedForm>;

/// Reads `float32`, `p0=float32` and `p0=float32[512,781]`. Throws SpecError.
CapturedForms read_forms(const std::vector<std::string>& texts);

}  // namespace kernelbatch::app
