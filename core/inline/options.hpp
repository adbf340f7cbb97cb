// Typed access to the keys of one inline kernel.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/value.hpp"
#include "core/device/device.hpp"
#include "core/inline/definition.hpp"
#include "core/job/spec.hpp"

namespace kernelbatch {

/// Reads values from a mapping; numbers may be expressions of `facts` (parameters, `x.size`,
/// `x.shape[0]`). Throws SpecError with the place.
class InlineOptions {
 public:
  InlineOptions(const YamlNode& node, const NamedValues& facts) : node_(node), facts_(facts) {}

  const NamedValues& facts() const noexcept { return facts_; }
  const YamlNode* find(std::string_view key) const { return node_.find(key); }
  /// Returns `otherwise` if the key is missing.
  std::string text(std::string_view key, std::string otherwise = {}) const;
  std::optional<std::string> maybe_text(std::string_view key) const;
  bool boolean(std::string_view key, bool otherwise) const;
  std::optional<std::int64_t> integer(std::string_view key) const;
  std::optional<std::vector<int>> axes(std::string_view key) const;
  /// Compiler options: `{name}` is replaced by a parameter's value.
  std::vector<std::string> compiler_options() const;
  Dim3 extents(std::string_view key) const;
  LaunchShape launch_shape() const;
  /// `args`: names, numbers, `{scalar: …, dtype: …}`, `{of: x, slice: …}`.
  std::optional<std::vector<InlineArgument>> arguments() const;
  NamedValues constants() const;
  std::vector<std::string> texts(std::string_view key) const;
  std::vector<InlineTexture> textures() const;
  std::vector<InlineSurface> surfaces() const;
  std::vector<InlineGlobal> globals() const;

 private:
  InlineArgument argument(const YamlNode& node) const;

  const YamlNode& node_;
  const NamedValues& facts_;
};

}  // namespace kernelbatch
