// A copy of a tensor's box: its places, computed from rows and chunks, and kernels that do it.
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "core/device/tensor_map.hpp"
#include "tests/contract/compile.hpp"

namespace kernelbatch::test {

/// A tensor and one box of it. All lists have the innermost axis first.
struct BoxCopy {
  TensorType type = TensorType::kFloat32;
  std::vector<std::int64_t> extents;
  std::vector<std::uint32_t> box;
  std::vector<std::int64_t> at;
  TensorSwizzle swizzle = TensorSwizzle::kNone;
  TensorFill fill = TensorFill::kZeros;
  std::vector<std::uint32_t> steps = {};

  std::size_t item() const { return row_of(type).bytes; }
  std::size_t axes() const { return extents.size(); }
  std::uint32_t step(std::size_t axis) const {
    return axis == 0 || steps.empty() ? 1 : steps[axis];
  }
  /// Elements along an axis that are copied.
  std::uint32_t count(std::size_t axis) const { return (box[axis] + step(axis) - 1) / step(axis); }
  std::size_t rows() const {
    std::size_t rows = 1;
    for (std::size_t axis = 1; axis < axes(); ++axis) rows *= count(axis);
    return rows;
  }
  std::size_t row_bytes() const { return box[0] * item(); }
  std::size_t pitch() const {
    return swizzle == TensorSwizzle::kNone ? row_bytes() : span_of(swizzle);
  }
  std::size_t shared_bytes() const { return rows() * pitch(); }
  std::size_t tensor_bytes() const {
    return item() * static_cast<std::size_t>(std::accumulate(extents.begin(), extents.end(),
                                                             std::int64_t{1}, std::multiplies<>()));
  }
  TensorMapForm form(void* address) const {
    TensorMapForm form{.type = type,
                       .axes = static_cast<int>(axes()),
                       .address = address,
                       .swizzle = swizzle,
                       .fill = fill};
    std::uint64_t stride = item();
    for (std::size_t axis = 0; axis < axes(); ++axis) {
      form.extents[axis] = static_cast<std::uint64_t>(extents[axis]);
      form.strides[axis] = stride;
      stride *= form.extents[axis];
      form.box[axis] = box[axis];
      form.element_strides[axis] = step(axis);
    }
    return form;
  }
};

/// Byte of shared memory for one of a row's bytes, from pictures of the swizzles: which chunk of a
/// row changes places with which.
inline std::size_t shared_place(const BoxCopy& copy, std::size_t row, std::size_t byte) {
  const auto moved = [&](std::size_t chunk_bytes, std::size_t by) {
    return row * copy.pitch() + ((byte / chunk_bytes) ^ by) * chunk_bytes + byte % chunk_bytes;
  };
  switch (copy.swizzle) {
    case TensorSwizzle::kNone:
      break;
    case TensorSwizzle::k32:
      return moved(16, row / 4 % 2);
    case TensorSwizzle::k64:
      return moved(16, row / 2 % 4);
    case TensorSwizzle::k128:
      return moved(16, row % 8);
    case TensorSwizzle::k128Atom32:
      return moved(32, row % 4);
    case TensorSwizzle::k128Atom64:
      return moved(64, row % 2);
    case TensorSwizzle::k128Atom32Flip8:
      return moved(32, row % 4) ^ (row % 2 * 8);
  }
  return row * copy.pitch() + byte;
}

/// Calls `body(in shared memory, in the tensor)` for the bytes of each element; the second is -1
/// outside of the tensor.
template <class Body>
void for_elements(const BoxCopy& copy, const Body& body) {
  for (std::size_t row = 0; row < copy.rows(); ++row)
    for (std::uint32_t column = 0; column < copy.box[0]; ++column) {
      std::int64_t offset = 0, stride = 1;
      bool is_inside = true;
      std::size_t rest = row;
      for (std::size_t axis = 0; axis < copy.axes(); ++axis) {
        std::int64_t place = copy.at[axis];
        place += axis == 0 ? column
                           : static_cast<std::int64_t>(rest % copy.count(axis)) * copy.step(axis);
        if (axis > 0) rest /= copy.count(axis);
        is_inside = is_inside && place >= 0 && place < copy.extents[axis];
        offset += place * stride;
        stride *= copy.extents[axis];
      }
      for (std::size_t k = 0; k < copy.item(); ++k)
        body(shared_place(copy, row, column * copy.item() + k),
             is_inside
                 ? offset * static_cast<std::int64_t>(copy.item()) + static_cast<std::int64_t>(k)
                 : -1,
             k);
    }
}

inline constexpr const char* kTensorSource = R"(#include <cuda.h>
extern "C" __global__ void f(const __grid_constant__ CUtensorMap map, unsigned char* shared,
                             int shared_bytes, int expected, int c0, int c1, int c2, int c3,
                             int c4) {
  extern __shared__ __align__(1024) unsigned char tile[];
  __shared__ __align__(8) unsigned long long ready;
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  const unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&ready));
  const unsigned long long from = reinterpret_cast<unsigned long long>(&map);
  for (int k = threadIdx.x; k < shared_bytes; k += blockDim.x) tile[k] = shared[k];
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  BODY
})";

/// A statement of inline PTX with the box's coordinates from operand %2 on.
inline std::string statement(const BoxCopy& copy, const std::string& text,
                             const std::string& operands) {
  std::string list, values;
  for (std::size_t axis = 0; axis < copy.axes(); ++axis) {
    list += fmt::format("{}%{}", axis > 0 ? ", " : "", axis + 2);
    values += fmt::format(", \"r\"(c{})", axis);
  }
  return fmt::format("asm volatile(\"{}\" ::{}{} : \"memory\");",
                     fmt::format(fmt::runtime(text), copy.axes(), list), operands, values) +
         "\n";
}
inline std::string with_body(const std::string& body) {
  std::string text = kTensorSource;
  return text.replace(text.find("BODY"), 4, body);
}
inline std::string load_text(const BoxCopy& copy) {
  // The barrier is an operand after the coordinates.
  std::string text = statement(
      copy,
      fmt::format("cp.async.bulk.tensor.{{}}d.shared::cluster.global.mbarrier::complete_tx::bytes "
                  "[%0], [%1, {{{{{{}}}}}}], [%{}];",
                  copy.axes() + 2),
      "\"r\"(to), \"l\"(from)");
  text.replace(text.find(" : \"memory\""), 0, ", \"r\"(barrier)");
  return with_body(R"(if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                 "r"(expected) : "memory");
    )" + text + R"(
  }
  for (int has_passed = 0; has_passed == 0;)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; "
                 "selp.b32 %0, 1, 0, p; }" : "=r"(has_passed) : "r"(barrier) : "memory");
  for (int k = threadIdx.x; k < shared_bytes; k += blockDim.x) shared[k] = tile[k];)");
}
inline std::string store_text(const BoxCopy& copy, const std::string& reduction = "") {
  return with_body(
      "if (threadIdx.x == 0) {\n" +
      statement(
          copy,
          fmt::format("cp{}.async.bulk.tensor.{{}}d.global.shared::cta{}.bulk_group "
                      "[%1, {{{{{{}}}}}}], [%0];",
                      reduction.empty() ? "" : ".reduce", reduction.empty() ? "" : "." + reduction),
          "\"r\"(to), \"l\"(from)") +
      R"(asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  })");
}

inline std::vector<std::uint8_t> numbered(std::size_t bytes, unsigned seed) {
  std::vector<std::uint8_t> values(bytes);
  for (std::size_t k = 0; k < bytes; ++k)
    values[k] = static_cast<std::uint8_t>(k * 7 + (k >> 8) * 13 + seed);
  return values;
}
/// Runs a copy with these contents of the tensor and of shared memory, which are replaced.
inline void run_copy(const BoxCopy& copy, const std::string& text,
                     std::vector<std::uint8_t>& tensor, std::vector<std::uint8_t>& shared) {
  const Array there = device_array(tensor), tile = device_array(shared);
  const TensorMapForm form = copy.form(there.data());
  require_valid(form);
  const TensorMap map = device().tensor_map(form);
  int at[5] = {};
  for (std::size_t axis = 0; axis < copy.axes(); ++axis) at[axis] = static_cast<int>(copy.at[axis]);
  const LoadedKernel kernel(text, "f");
  kernel.run(grid_of(1, 64, copy.shared_bytes()), map, tile, static_cast<int>(copy.shared_bytes()),
             static_cast<int>(copy.rows() * copy.row_bytes()), at[0], at[1], at[2], at[3], at[4]);
  tensor = values_of<std::uint8_t>(there);
  shared = values_of<std::uint8_t>(tile);
}

}  // namespace kernelbatch::test
