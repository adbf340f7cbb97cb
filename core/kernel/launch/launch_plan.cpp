#include "core/kernel/launch/launch_plan.hpp"

#include <cstdint>
#include <cstring>

#include "core/kernel/loop/loop_plan.hpp"

namespace kernelbatch {
namespace {

/// Load widths are chosen by the alignment of addresses to powers of two up to this.
constexpr std::uintptr_t kLargestLoad = 32;

int place_of(const Array& array) noexcept {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(array.data()) % kLargestLoad);
}

}  // namespace

ArgumentForm::ArgumentForm(const Argument& argument) : kind_(argument.kind()) {
  if (!argument.is_array()) return;
  const Array& array = argument.array();
  dtype_ = array.dtype();
  place_ = place_of(array);
  shape_ = array.shape();
  strides_ = array.strides();
}

bool ArgumentForm::matches(const Argument& argument) const noexcept {
  if (argument.kind() != kind_) return false;
  if (!argument.is_array()) return true;
  const Array& array = argument.array();
  return array.dtype() == dtype_ && place_of(array) == place_ && array.shape() == shape_ &&
         array.strides() == strides_;
}

LaunchPlan::LaunchPlan(const Device& device, std::span<const Argument> arguments)
    : device_(&device), forms_(arguments.begin(), arguments.end()) {}

bool LaunchPlan::fits(const Device& device, std::span<const Argument> arguments) const noexcept {
  if (&device != device_ || arguments.size() > forms_.size()) return false;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (!forms_[k].matches(arguments[k])) return false;
    if (arguments[k].is_array() && arguments[k].array().device() != device_) return false;
  }
  return true;
}

std::size_t LaunchPlan::add_parameter(const void* bytes, std::size_t size) {
  return block_.append(bytes, size);
}

std::size_t LaunchPlan::add_parameter(const StructBytes& bytes) {
  const std::vector<std::byte> packed = bytes.finish();
  return block_.append(packed.data(), packed.size());
}

void LaunchPlan::patch(std::size_t argument, std::size_t offset, DType dtype, std::string name) {
  patches_.push_back({argument, offset, dtype, std::move(name)});
}

void LaunchPlan::write(std::size_t offset, const void* bytes, std::size_t size) noexcept {
  std::memcpy(block_.at(offset), bytes, size);
}

void LaunchPlan::keep_apart(std::size_t in, std::size_t out, std::span<const Argument> arguments) {
  const Array& from = arguments[in].array();
  const Array& to = arguments[out].array();
  if (from.size() == 0 || to.size() == 0) return;
  const ByteRange read = byte_range(from);
  const ByteRange written = byte_range(to);
  pairs_.push_back(
      {in, out, read.low, read.high, written.low, written.high,
       from.dtype() == to.dtype() && from.shape() == to.shape() && from.strides() == to.strides()});
}

void LaunchPlan::set_kernel(Kernel& kernel, const LaunchShape& shape, const std::string& name) {
  require_same_layout(block_, kernel, name);
  kernel_ = &kernel;
  shape_ = shape;
  if (shape.fits_device)
    shape_.grid.x = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(shape.grid.x, kernel.blocks_at_once(shape)));
  addresses_ = block_.addresses();
}

bool LaunchPlan::Pair::meets(std::span<const Argument> arguments) const noexcept {
  const std::byte* from = arguments[in].array().data();
  const std::byte* to = arguments[out].array().data();
  if (from + in_high <= to + out_low || to + out_high <= from + in_low) return false;
  if (from == to && has_same_layout) return false;
  return shares_elements(arguments[in].array(), arguments[out].array());
}

bool LaunchPlan::overlaps(std::span<const Argument> arguments) const noexcept {
  for (const Pair& pair : pairs_)
    if (pair.meets(arguments)) return true;
  return false;
}

bool LaunchPlan::overlaps(std::size_t in, std::span<const Argument> arguments) const noexcept {
  for (const Pair& pair : pairs_)
    if (pair.in == in && pair.meets(arguments)) return true;
  return false;
}

const std::string& LaunchPlan::name_of_argument(std::size_t argument) const noexcept {
  for (const Patch& patch : patches_)
    if (patch.argument == argument) return patch.name;
  return patches_.front().name;  // not reached: every array has its place
}

void LaunchPlan::require_apart(std::span<const Argument> arguments) const {
  for (const Pair& pair : pairs_)
    if (pair.meets(arguments))
      throw overlap_error(name_of_argument(pair.in), name_of_argument(pair.out));
}

void LaunchPlan::launch(Stream& stream, std::span<const Argument> arguments) {
  if (kernel_ == nullptr) return;
  for (const Patch& patch : patches_) {
    const Argument& argument = arguments[patch.argument];
    std::byte* const to = block_.at(patch.offset);
    if (argument.is_array()) {
      const std::byte* const data = argument.array().data();
      std::memcpy(to, &data, sizeof data);
    } else {
      argument.write_scalar(patch.dtype, to, patch.name);
    }
  }
  kernel_->launch(shape_, addresses_, stream);
}

}  // namespace kernelbatch
