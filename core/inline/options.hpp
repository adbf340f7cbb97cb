// Typed access to arguments, textures, surfaces and globals of one variant.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/value.hpp"
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
  bool boolean(std::string_view key, bool otherwise) const;
  std::optional<std::int64_t> integer(std::string_view key) const;
  /// The mapping as a view `{of: x, slice: …}`.
  std::vector<ViewStep> view_steps() const;
  /// `args`: names, numbers, `{scalar: …, dtype: …}`, `{of: x, slice: …}`, `{tensor_map: x, …}`.
  std::optional<std::vector<InlineArgument>> arguments() const;
  std::vector<InlineTexture> textures() const;
  std::vector<InlineSurface> surfaces() const;
  std::vector<InlineGlobal> globals() const;
  std::vector<InlineAddress> addresses() const;

 private:
  using EachEntry = std::function<void(const std::string& name, const YamlNode& node)>;

  InlineArgument argument(const YamlNode& node) const;
  InlineTexture texture(const std::string& name) const;
  /// The entries of a nested mapping, if it is there.
  void each_of(std::string_view key, const EachEntry& body) const;

  const YamlNode& node_;
  const NamedValues& facts_;
};

}  // namespace kernelbatch
