// A box of a tensor: its rows in global memory and their places in shared memory. Private to the
// host device's sources.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/device/host/cuda/kernelbatch/host_abi.hpp"
#include "core/device/tensor_map.hpp"

namespace kernelbatch::host {

/// The host device's encoding. Throws UnsupportedError for interleaved forms.
TensorMap encode_tensor_map(const TensorMapForm& form);

class TensorBox {
 public:
  /// Why the copy cannot be done: the map is not one of the host device, or does not fit the
  /// instruction. Null if it can.
  static const char* error_of(const kernelbatch_host::TensorCopy& copy);

  /// For a copy without an error.
  explicit TensorBox(const kernelbatch_host::TensorCopy& copy);

  /// Neighbours along axis 0. Those from `skipped` on, `inside` bytes, lie in the tensor.
  struct Row {
    char* global = nullptr;  ///< the first that lies in the tensor
    std::size_t offset = 0;  ///< in shared memory
    std::size_t skipped = 0, inside = 0;
  };
  bool is_load() const noexcept { return action_ == kernelbatch_host::kTensorLoad; }
  bool is_reduction() const noexcept { return action_ > kernelbatch_host::kTensorStore; }
  const std::vector<Row>& rows() const noexcept { return rows_; }
  std::size_t bytes() const noexcept { return rows_.size() * row_bytes_; }
  std::size_t row_bytes() const noexcept { return row_bytes_; }
  /// Bytes between the begins of rows in shared memory.
  std::size_t pitch() const noexcept { return pitch_; }
  char* shared() const noexcept { return shared_; }

  /// Calls `piece(place, from, bytes)` for parts of a row that are contiguous in shared memory;
  /// `from` is their offset in the row.
  template <class Piece>
  void for_pieces(const Row& row, std::size_t begin, std::size_t end, const Piece& piece) const {
    for (std::size_t at = begin; at < end;) {
      const std::size_t next = chunk_ == 0 ? end : std::min(end, (at / chunk_ + 1) * chunk_);
      piece(place(shared_ + row.offset + at), at, next - at);
      at = next;
    }
  }

  /// The rows' elements, in order, from shared memory.
  std::vector<char> gather() const;
  /// Writes the target; `data` is what gather() returned, if the source was read before.
  void land(const std::vector<char>& data) const;

 private:
  void add_rows(const kernelbatch_host::TensorCopy& copy);
  char* place(char* unswizzled) const;
  void load(const Row& row) const;

  kernelbatch_host::TensorMap map_;
  TensorType type_;
  int action_;
  char* shared_;
  std::size_t row_bytes_ = 0, pitch_ = 0, chunk_ = 0;
  std::vector<Row> rows_;
};

}  // namespace kernelbatch::host
