// Access to elements in a fused row's kernel: packs in registers, from memory or through shared
// memory.
#pragma once

#include <set>
#include <string>

#include "core/kernel/fuse/rows.hpp"

namespace kernelbatch {

/// Indents every line of a text and removes empty lines.
std::string indented(const std::string& text, const std::string& by);

/// Text that reads and writes the arrays of one kernel. Slots number the inputs, then the outputs.
class RowsAccess {
 public:
  explicit RowsAccess(const RowsText& text) : text_(text), typed_(text.typed) {}

  bool is_input(int id) const { return typed_.node(id).kind == Node::Kind::kInput; }
  std::string c_name_of(int id) const;
  /// The variable of a thread's packs of an input or computed value, and a pack's type.
  std::string packs_of(int id) const;
  std::string pack_type(int id) const;

  /// A loop over the packs of the thread; `_p` is a pack's number in the row. A thread without a
  /// row computes too, but touches no memory.
  std::string for_packs(const std::string& body, bool touches_memory = false) const;
  /// A loop over the elements of a pack; `of_row` applies only to elements that belong to the row.
  std::string for_elements(const std::string& body, const std::string& of_row = "") const;
  /// Adds the number of elements of the pack that belong to the row.
  std::string count() const;
  /// The number of elements of a row.
  std::string length() const;
  /// The number of packs of the row, and the begin of the first.
  std::string packs() const;
  /// Begin of an array's row.
  std::string row_pointer(int slot, const std::string& variable) const;
  /// A row that is not kept, in chunks of `items` packs per thread; in alternating direction, so
  /// that the most recent data are still in the cache.
  std::string over_chunks(const std::string& body);
  /// True if chunks in which every thread has whole packs have text of their own, without tests.
  bool has_inner_chunks() const;

  /// Loads inputs into packs. In a prefetching kernel the first ones come from shared memory.
  std::string loads(const std::set<int>& inputs);
  /// Statements that for_packs() needs before it reads or writes `store(…)`.
  std::string locate() const;
  /// Writes the pack `_y<output>`.
  std::string store(int output) const;
  /// Runs after all packs of an output are written: by the whole block.
  std::string copy_out(int output) const;
  /// At a row's begin: loads the block's rows if they pass through shared memory.
  std::string stage() const;
  /// The function that starts prefetching a row to shared memory, each thread its own packs; empty
  /// if the kernel does not prefetch. Call after loads().
  const std::string& fetch() const noexcept { return fetch_; }

 private:
  std::size_t arrays() const {
    return static_cast<std::size_t>(typed_.graph->inputs) + typed_.graph->outputs.size();
  }
  bool is_shifted() const noexcept { return text_.schedule.is_shifted; }
  DType dtype_of_slot(int slot) const;
  /// The kernel's argument that points to an array.
  std::string member_of(int slot) const;
  /// True if whole packs may be read although a row has only a part of one.
  std::string has_more(int slot) const;
  /// Offset of the first element of pack `_p` in an array.
  std::string offset(int slot) const;
  /// True if an array's rows pass through shared memory; false for arrays shared by all rows.
  bool is_staged(int slot) const;
  /// The shared memory of an array's rows. An output reuses that of an input with elements of the
  /// same size: each thread has read its own elements before it writes them.
  int stage_of(int slot) const;
  /// Loads pack `_j` of an input.
  std::string load(int id) const;
  /// Address of a pack in shared memory.
  std::string staged_pack(int slot) const;
  std::string loads_of_fetched(const std::set<int>& inputs);

  const RowsText& text_;
  const TypedGraph& typed_;
  std::string fetch_;
  bool goes_back_ = false;  ///< direction of the next pass over chunks
};

}  // namespace kernelbatch
