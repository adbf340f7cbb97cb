#include "core/kernel/launch/chunk_pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

/// A view of the buffer, which is enlarged if too small.
Array in_buffer(Device& device, Array& buffer, const Array& like, std::size_t bytes) {
  if (buffer.bytes() < bytes)
    buffer = Array::on_device(device, DType::kUInt8, {static_cast<std::int64_t>(bytes)});
  return Array::of_memory(buffer.data(), like.dtype(), like.shape(), &device);
}

/// Indices of the axis per chunk: limited by every staged array's share of device memory.
std::int64_t chunk_length(std::int64_t extent, std::span<const Argument> arguments,
                          std::span<const ChunkRole> roles) {
  std::int64_t length = extent;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (roles[k].axis < 0 || !arguments[k].array().is_staged()) continue;
    const std::size_t bytes = arguments[k].array().bytes();
    const auto each = static_cast<std::int64_t>(bytes) / extent;
    length = std::min(length, static_cast<std::int64_t>(staging_bytes(bytes)) / each);
  }
  return std::max<std::int64_t>(length, 1);
}

void require_apart(std::span<const Argument> arguments, std::span<const ChunkRole> roles) {
  for (std::size_t out = 0; out < arguments.size(); ++out)
    for (std::size_t in = 0; in < arguments.size(); ++in) {
      if (!roles[out].is_written || in == out) continue;
      if (!arguments[in].is_array() || !arguments[in].array().is_staged()) continue;
      const Array& a = arguments[in].array();
      const Array& b = arguments[out].array();
      if (b.is_staged() && a.data() != b.data() && a.data() < b.data() + b.bytes() &&
          b.data() < a.data() + a.bytes())
        throw SpecError(
            fmt::format("'{}' and '{}' overlap in host memory", roles[in].name, roles[out].name));
    }
}

}  // namespace

bool has_staged(std::span<const Argument> arguments) noexcept {
  return std::ranges::any_of(arguments, [](const Argument& argument) {
    return argument.is_array() && argument.array().is_staged();
  });
}

void refuse_staged(const Argument& argument, const std::string& kernel) {
  if (argument.is_array() && argument.array().is_staged())
    throw OutOfMemoryError(
        fmt::format("an array of {} does not fit on the device; elementwise and reduction kernels "
                    "work on such arrays in pieces, '{}' is neither",
                    format_bytes(argument.array().bytes()), kernel));
}

int cut_axis(const Shape& shape) noexcept {
  for (int axis = 0; axis < shape.count(); ++axis)
    if (shape[axis] > 1) return axis;
  return 0;
}

void ChunkPipeline::prepare(Device& device, std::size_t arguments) {
  if (device_ != &device) {
    device_ = &device;
    begun_ = device.make_event();
    wholes_.clear();
    for (Lane& lane : lanes_)
      lane = {device.make_stream(), device.make_event(), device.make_event(), {}};
  }
  wholes_.resize(arguments);
  for (Lane& lane : lanes_) lane.buffers.resize(arguments);
}

Array ChunkPipeline::whole(Stream& stream, std::size_t argument, const Array& array) {
  const Array copied = in_buffer(*device_, wholes_[argument], array, array.bytes());
  device_->copy(copied.data(), array.data(), array.bytes(), Copy::kToDevice, stream);
  return copied;
}

std::vector<Array> ChunkPipeline::copy_wholes(Stream& stream, std::span<const Argument> arguments,
                                              std::span<const ChunkRole> roles) {
  for (std::size_t k = 0; k < arguments.size(); ++k)
    if (arguments[k].is_array() && !arguments[k].array().is_staged() &&
        arguments[k].array().device() != device_)
      throw SpecError(fmt::format("'{}' is not on the stream's device", roles[k].name));
  require_apart(arguments, roles);
  std::vector<Array> views(arguments.size());
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (!arguments[k].is_array() || !arguments[k].array().is_staged()) continue;
    const Array& array = arguments[k].array();
    const bool is_written_whole = roles[k].axis < 0 && roles[k].is_written;
    if (!array.is_contiguous() || is_written_whole)
      throw OutOfMemoryError(
          fmt::format("'{}' does not fit on the device, and {}", roles[k].name,
                      is_written_whole ? "every piece of the inputs adds to all of it"
                                       : "only arrays in C order can pass through it in pieces"));
    if (roles[k].axis < 0) views[k] = whole(stream, k, array);
  }
  return views;
}

ChunkPipeline::Part ChunkPipeline::copy_part(Lane& lane, std::size_t argument, const Array& array,
                                             const ChunkRole& role, const Span& span) {
  const Array part = array.slice(role.axis, span.first, span.count, 1);
  if (!array.is_staged()) return {part, {}};
  const std::size_t room =
      array.bytes() / static_cast<std::size_t>(span.extent) * static_cast<std::size_t>(span.length);
  const Array view = in_buffer(*device_, lane.buffers[argument], part, room);
  if (role.is_read)
    device_->copy(view.data(), part.data(), part.bytes(), Copy::kToDevice, *lane.stream);
  return {view, part};
}

void ChunkPipeline::run(Stream& stream, std::int64_t extent, std::span<const Argument> arguments,
                        std::span<const ChunkRole> roles, bool in_order,
                        const std::function<void(const Chunk& chunk)>& work) {
  prepare(stream.device(), arguments.size());
  const std::vector<Array> wholes = copy_wholes(stream, arguments, roles);
  stream.record(*begun_);
  for (Lane& lane : lanes_) {
    lane.stream->join_run_of(stream);
    lane.stream->wait(*begun_);
  }

  const std::int64_t length = chunk_length(extent, arguments, roles);
  const Lane* before = nullptr;
  for (std::int64_t first = 0, number = 0; first < extent; first += length, ++number) {
    Lane& lane = lanes_[number % 2];
    const std::int64_t count = std::min(length, extent - first);
    std::vector<Argument> chunk(arguments.begin(), arguments.end());
    std::vector<Part> parts(arguments.size());
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      if (!arguments[k].is_array()) continue;
      const Array& array = arguments[k].array();
      if (roles[k].axis < 0 && !array.is_staged()) continue;
      if (roles[k].axis >= 0)
        parts[k] = copy_part(lane, k, array, roles[k], {first, count, extent, length});
      chunk[k] = Argument(roles[k].axis < 0 ? wholes[k] : parts[k].on_device);
    }
    if (in_order && before != nullptr) lane.stream->wait(*before->worked);
    work({*lane.stream, chunk, first, count});
    if (in_order) lane.stream->record(*lane.worked);
    for (std::size_t k = 0; k < arguments.size(); ++k)
      if (roles[k].is_written && parts[k].staged.bytes() > 0)
        device_->copy(parts[k].staged.data(), parts[k].on_device.data(), parts[k].on_device.bytes(),
                      Copy::kToHost, *lane.stream);
    before = &lane;
  }
  for (Lane& lane : lanes_) {
    lane.stream->record(*lane.ended);
    stream.wait(*lane.ended);
  }
}

}  // namespace kernelbatch
