#include "core/run/reported.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/case/output_spill.hpp"

namespace kernelbatch {
namespace {

/// True for valid names of columns and groups.
bool is_plain(std::string_view name) {
  using namespace std::string_view_literals;
  return !name.empty() && name.size() <= 255 && name.front() != '.' &&
         name.find_first_of("/\0"sv) == name.npos;
}

/// Number of elements of an output; 0 if its extents are invalid.
std::int64_t elements_of(const OutputRecord& output) {
  std::int64_t count = 1;
  for (const std::int64_t extent : output.shape)
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count)) return 0;
  return count;
}

}  // namespace

void require_plain_names(const NamedValues& values) {
  constexpr std::size_t kMost = 500;
  if (values.size() > kMost) throw RunError("it reported too many environment values");
  for (const auto& [name, value] : values)
    if (!is_plain(name)) throw RunError("it reported environment values that cannot be stored");
}

void require_storable(const ResultRecord& record) {
  for (const OutputRecord& output : record.outputs) {
    if (!is_plain(output.name) ||
        std::ranges::count(record.outputs, output.name, &OutputRecord::name) != 1)
      throw RunError(
          fmt::format("it reported an output '{}', which cannot be stored", output.name));
    for (const std::string& name : output.dimensions)
      if (!is_plain(name))
        throw RunError(fmt::format("it reported a dimension '{}', which cannot be stored", name));
  }
}

void require_described(const ResultRecord& record, const SpilledOutput& output) {
  if (std::ranges::find(record.outputs, output.output, &OutputRecord::name) == record.outputs.end())
    throw RunError(
        fmt::format("it sent an output '{}' that its result does not describe", output.output));
}

void require_size(const ResultRecord& record, const SpilledOutput& output, std::size_t bytes) {
  const auto described = std::ranges::find(record.outputs, output.output, &OutputRecord::name);
  const std::int64_t kept =
      output.stride < 1 ? -1 : spilled_elements(elements_of(*described), output.stride);
  if (kept < 0 || bytes / size_of(described->dtype) != static_cast<std::size_t>(kept) ||
      bytes % size_of(described->dtype) != 0)
    throw RunError(fmt::format("it sent {} bytes as output '{}', which do not match its result",
                               bytes, output.output));
}

}  // namespace kernelbatch
