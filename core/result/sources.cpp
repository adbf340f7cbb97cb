#include "core/result/sources.hpp"

#include <fmt/format.h>

#include <charconv>

#include "core/base/error.hpp"
#include "core/result/schema.hpp"

namespace kernelbatch {

OutputSource::~OutputSource() = default;

int check_schema(const h5::Group& root, const std::filesystem::path& path) {
  const auto text = root.text(schema::kVersionAttribute);
  if (!text)
    throw SpecError(
        fmt::format("'{}' is not a results file: it is another program's HDF5 (it has no attribute "
                    "{})",
                    path.string(), schema::kVersionAttribute));
  int version = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), version);
  if (error != std::errc{} || end != text->data() + text->size() || version < 1)
    throw SpecError(fmt::format("'{}' has the unknown schema '{}'", path.string(), *text));
  if (version > schema::kVersion)
    throw SpecError(
        fmt::format("'{}' has schema {}, and this kernelbatch understands up to {}: "
                    "read it with a newer kernelbatch",
                    path.string(), version, schema::kVersion));
  return version;
}

std::vector<std::string> arrays_in(const h5::Group& group) {
  std::vector<std::string> names;
  for (std::string& name : group.names())
    if (group.dataset(name).text("device_dtype")) names.push_back(std::move(name));
  return names;
}

}  // namespace kernelbatch
