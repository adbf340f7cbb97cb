// Several reductions combined into one struct-valued reduction: its text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/kernel/fuse/emit.hpp"

namespace kernelbatch {

/// One struct for several reductions: its text with a function that combines two structs, the
/// struct of one element, and the result of each reduction. A thread with several elements
/// accumulates them without the divisions of combining: `add` for each element, `settle`, then, if
/// not empty, `spread` for each element.
struct CombinedReduction {
  std::string definition;  ///< struct and combine function, at file scope
  std::string element;     ///< braced initialiser; uses `_t<id>` of the operands
  std::string identity;    ///< braced initialiser; empty if some reduction has none
  std::string neutral;     ///< braced initialiser that combining ignores
  std::string add;         ///< adds an element to `_part`, which starts as `neutral`
  std::string settle;      ///< after the last of `_count` elements
  std::string spread;      ///< adds an element's squared distance from the mean to `_part`
  std::vector<std::string> results;  ///< from a value called `name`, one per reduction
  int bytes = 0;                     ///< maximum size of the struct
  std::size_t size = 0;              ///< its size
};
/// A sum of exp(x - m) where m is the maximum of the same x: one pass over a row computes both, as
/// the partial sum is rescaled whenever the maximum grows (M. Milakov, N. Gimelshein, 2018).
struct OnlineSum {
  int sum = 0;                 ///< the reduction
  int element = 0;             ///< x
  std::size_t maximum_of = 0;  ///< the maximum's place among the reductions
  bool is_short = false;       ///< only 16 bits of the results remain
};
/// Online sums of a phase's successor over its maxima; empty unless all of its sums have this form.
std::vector<OnlineSum> online_sums(const TypedGraph& typed, const std::vector<int>& reductions,
                                   const std::vector<int>& next);

/// True if one pass over a row computes all reductions.
bool takes_one_pass(const TypedGraph& typed);

/// `count` is the text of the number of reduced elements. The results of `online` follow those of
/// the reductions; their elements are only in `add`, `settle` and `spread`.
CombinedReduction combined_reduction(const TypedGraph& typed, const std::vector<int>& reductions,
                                     const Emitter& elements, const std::string& type,
                                     const std::string& value, const std::string& count,
                                     const std::vector<OnlineSum>& online = {});

}  // namespace kernelbatch
