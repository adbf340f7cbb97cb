#include "core/case/reference_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/array/compare.hpp"
#include "core/base/error.hpp"
#include "core/base/memory.hpp"

namespace kernelbatch {

Array ReferenceOutputs::array(const OutputArray& spec) {
  const auto found = arrays_.find(spec.name);
  if (found != arrays_.end()) return found->second;
  return arrays_.emplace(spec.name, Array::on_host(spec.dtype, spec.shape)).first->second;
}

OutputArrays ReferenceOutputs::copied() const {
  OutputArrays copies;
  for (const auto& [name, array] : arrays_) {
    Array copy = Array::on_host(array.dtype(), array.shape());
    copy_bytes(copy.data(), array.data(), array.bytes());
    copies[name] = std::move(copy);
  }
  return copies;
}

OutputArrays ReferenceOutputs::taken() const { return arrays_; }

void ReferenceOutputs::poison() {
  for (const auto& [name, array] : arrays_)
    fill_bytes(array.data(), std::byte{0xA5}, array.bytes());
}

bool ReferenceOutputs::are_same(const OutputArrays& first) const {
  return std::ranges::all_of(arrays_, [&](const auto& named) {
    return equal_bytes(named.second.data(), first.at(named.first).data(), named.second.bytes());
  });
}

void ReferenceOutputs::require_alike(const OutputArrays& first,
                                     const std::vector<OutputArray>& specs,
                                     const std::string& call) const {
  for (const auto& [name, array] : arrays_) {
    const auto spec = std::ranges::find(specs, name, &OutputArray::name);
    const Comparison found = compare(array, first.at(name), spec->tolerance);
    if (!found.equal)
      throw VerificationError(
          fmt::format("{}: output '{}' of the reference is not that of its first call: first at {}",
                      call, name, found.first_text),
          fmt::format("{} wrong", found.mismatches));
  }
}

}  // namespace kernelbatch
