// Common parts of shards and merged files: stored arrays, and a supported schema.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result/h5/h5.hpp"

namespace kernelbatch {

/// A source of stored arrays.
class OutputSource {
 public:
  virtual ~OutputSource();

  /// True if the arrays have digests of their elements. Those of schema 1 need not match.
  virtual bool has_digests() const noexcept = 0;

  /// Names of the arrays of one case and variant, in the order they were written.
  virtual std::vector<std::string> outputs(std::string_view case_id,
                                           std::string_view variant) const = 0;
  /// std::nullopt if that array was not stored.
  virtual std::optional<h5::Dataset> output(std::string_view case_id, std::string_view variant,
                                            std::string_view name) const = 0;
};

/// The file's schema. Throws SpecError, naming the file, if it is not kernelbatch's or a newer
/// kernelbatch's.
int check_schema(const h5::Group& root, const std::filesystem::path& path);

/// Names of the arrays in the group, without the dimension scales.
std::vector<std::string> arrays_in(const h5::Group& group);

}  // namespace kernelbatch
