// ChunkPipeline: a call with staged arrays, cut into chunks along one axis. One chunk is copied
// while the device processes another.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/kernel/launch/argument.hpp"

namespace kernelbatch {

/// How one argument is passed to each chunk.
struct ChunkRole {
  int axis = -1;  ///< axis of the array that is cut; -1 = every chunk gets all of it
  bool is_read = true, is_written = false;
  std::string name = {};  ///< for errors
};

/// Two streams alternate, each with a device buffer for every staged array: copy in, work, copy
/// out.
class ChunkPipeline {
 public:
  /// Indices first … first + count − 1 of the axis. `arguments` are on the device.
  struct Chunk {
    Stream& stream;
    std::span<const Argument> arguments;
    std::int64_t first, count;
  };

  /// Queues `work` for all chunks of an axis of `extent` indices; later work of `stream` waits for
  /// them. `in_order`: the work on a chunk begins after that on the previous one. Throws
  /// OutOfMemoryError for a staged array that cannot be cut according to its role: not in C order,
  /// or written completely by every chunk.
  void run(Stream& stream, std::int64_t extent, std::span<const Argument> arguments,
           std::span<const ChunkRole> roles, bool in_order,
           const std::function<void(const Chunk& chunk)>& work);

 private:
  struct Lane {
    std::unique_ptr<Stream> stream;
    std::unique_ptr<Event> worked, ended;
    std::vector<Array> buffers;
  };
  /// Part of an array in a chunk: `staged` is where it is in host memory, empty if it is not
  /// staged.
  struct Part {
    Array on_device, staged;
  };
  /// Indices first … first + count − 1 of an axis that is cut into chunks of `length`.
  struct Span {
    std::int64_t first, count, extent, length;
  };
  void prepare(Device& device, std::size_t arguments);
  /// Copies the staged arrays that every chunk reads whole, by argument; empty for the others.
  std::vector<Array> copy_wholes(Stream& stream, std::span<const Argument> arguments,
                                 std::span<const ChunkRole> roles);
  Part copy_part(Lane& lane, std::size_t argument, const Array& array, const ChunkRole& role,
                 const Span& span);
  Array whole(Stream& stream, std::size_t argument, const Array& array);

  Device* device_ = nullptr;
  std::unique_ptr<Event> begun_;
  Lane lanes_[2];
  std::vector<Array> wholes_;
};

/// True if any argument is a staged array (Array::staged).
bool has_staged(std::span<const Argument> arguments) noexcept;

/// Throws OutOfMemoryError for a staged array; `kernel` is of a kind that does not support chunks.
void refuse_staged(const Argument& argument, const std::string& kernel);

/// The first axis with more than one index, along which arrays in C order can be cut; 0 if none.
int cut_axis(const Shape& shape) noexcept;

}  // namespace kernelbatch
