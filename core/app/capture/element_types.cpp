#include "core/app/capture/element_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/app/capture/nodes.hpp"
#include "core/device/ptx_accesses.hpp"

namespace kernelbatch::app {
namespace {

std::optional<DType> dtype_of_ptx(const std::string& type) {
  constexpr std::pair<std::string_view, DType> kTypes[] = {
      {"f16", DType::kFloat16}, {"bf16", DType::kBFloat16}, {"f32", DType::kFloat32},
      {"f64", DType::kFloat64}, {"s8", DType::kInt8},       {"s16", DType::kInt16},
      {"s32", DType::kInt32},   {"s64", DType::kInt64},     {"u8", DType::kUInt8},
      {"u16", DType::kUInt16},  {"u32", DType::kUInt32},    {"u64", DType::kUInt64}};
  for (const auto& [name, dtype] : kTypes)
    if (name == type) return dtype;
  return std::nullopt;
}

}  // namespace

std::vector<std::optional<DType>> guessed_types(const LaunchRecord& record) {
  std::vector<std::set<std::string>> types(record.memory.size());
  for (const PointerAccess& access : pointer_accesses(record.ptx, record.kernel)) {
    if (access.parameter >= record.parameters.size()) continue;
    const RecordedParameter& place = record.parameters[access.parameter];
    if (access.offset + sizeof(std::uint64_t) > place.size) continue;
    const auto address = value_at<std::uint64_t>(record.bytes, place.offset + access.offset);
    for (std::size_t k = 0; k < record.memory.size(); ++k)
      if (record.memory[k].contains(address)) types[k].insert(access.type);
  }
  std::vector<std::optional<DType>> guesses;
  for (std::size_t k = 0; k < types.size(); ++k) {
    const auto dtype = types[k].size() == 1 ? dtype_of_ptx(*types[k].begin()) : std::nullopt;
    const bool fits = dtype && record.memory[k].bytes % size_of(*dtype) == 0;
    guesses.push_back(fits ? dtype : std::nullopt);
  }
  return guesses;
}

std::string types_comment(const LaunchRecord& record, const std::vector<std::string>& names,
                          const std::vector<std::optional<DType>>& guesses,
                          const CapturedForms& forms) {
  if (forms.contains("")) return "";
  std::string guessed, unknown, widths;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (forms.contains(names[k])) continue;
    (guesses[k] ? guessed : unknown) += fmt::format(" {}", names[k]);
    if (guesses[k]) guessed += fmt::format(" {}", name_of(*guesses[k]));
  }
  std::string text;
  if (!guessed.empty())
    text =
        fmt::format("# Element types of the loads and stores in the kernel's PTX:{}.\n", guessed);
  if (unknown.empty()) return text;
  for (const unsigned bytes : record.code_use.access_bytes) widths += fmt::format(" {}", bytes);
  return text + fmt::format("# Bytes of unknown type, which --dtype states:{} ({}{}).\n", unknown,
                            record.ptx.empty() ? "the program gave the driver no PTX"
                                               : "several types, or none",
                            widths.empty() ? "" : "; bytes of a load or store:" + widths);
}

}  // namespace kernelbatch::app
