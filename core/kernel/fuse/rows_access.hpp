// How the threads of a fused row's kernel get at elements: packs of them in registers, from memory
// or through shared memory.
#pragma once

#include <set>
#include <string>

#include "core/kernel/fuse/rows.hpp"

namespace kernelbatch {

/// Every line of a text further in; without empty lines.
std::string indented(const std::string& text, const std::string& by);

/// Text that reads and writes the arrays of one kernel. A slot is an input's number, or an output's
/// behind those.
class RowsAccess {
 public:
  explicit RowsAccess(const RowsText& text) : text_(text), typed_(text.typed) {}

  bool is_input(int id) const { return typed_.node(id).kind == Node::Kind::kInput; }
  std::string c_name_of(int id) const;
  /// The variable of a thread's packs of an input or of what was computed, and a pack's type.
  std::string packs_of(int id) const;
  std::string pack_type(int id) const;

  /// For each pack of the thread; `_p` is its number in the row. A thread without a row computes
  /// something, but touches no memory.
  std::string for_packs(const std::string& body, bool touches_memory = false) const;
  /// For each element of a pack; what `of_row` does, for those alone that belong to the row.
  std::string for_elements(const std::string& body, const std::string& of_row = "") const;
  /// Adds how many elements of the pack belong to the row.
  std::string count() const;
  /// How many packs the row has, and where its first begins.
  std::string packs() const;
  /// Where an array's row begins.
  std::string row_pointer(int slot, const std::string& variable) const;
  /// A row that is not kept, so many packs of each thread at a time; to and fro, as the cache has
  /// what came last.
  std::string over_chunks(const std::string& body);

  /// Brings inputs into packs. The first ones of a kernel that fetches ahead come from shared
  /// memory.
  std::string loads(const std::set<int>& inputs);
  /// What for_packs() needs before it reads or writes `store(…)`.
  std::string locate() const;
  /// Writes the pack `_y<output>`.
  std::string store(int output) const;
  /// After all packs of an output are written: by the whole block.
  std::string copy_out(int output) const;
  /// At a row's begin: where rows pass through shared memory, loads the block's.
  std::string stage() const;
  /// The function that begins to bring a row to shared memory, each thread its own packs; empty of
  /// a kernel that does not. After loads().
  const std::string& fetch() const noexcept { return fetch_; }

 private:
  std::size_t arrays() const {
    return static_cast<std::size_t>(typed_.graph->inputs) + typed_.graph->outputs.size();
  }
  bool is_shifted() const noexcept { return text_.schedule.is_shifted; }
  DType dtype_of_slot(int slot) const;
  /// The kernel's argument that points to an array.
  std::string member_of(int slot) const;
  /// Whether whole packs may be read where a row has a part of one.
  std::string has_more(int slot) const;
  /// Where the first element of pack `_p` lies in an array.
  std::string offset(int slot) const;
  /// Whether an array's rows pass through shared memory: not one that all rows have.
  bool is_staged(int slot) const;
  /// The shared memory of an array's rows. An output has that of an input whose elements are as
  /// large: each thread has read its own when it writes them.
  int stage_of(int slot) const;
  std::string loads_of_fetched(const std::set<int>& inputs);

  const RowsText& text_;
  const TypedGraph& typed_;
  std::string fetch_;
  bool goes_back_ = false;  ///< the next walk over chunks is that way
};

}  // namespace kernelbatch
