// The text of some reductions side by side, as one value that is combined.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/kernel/fuse/emit.hpp"

namespace kernelbatch {

/// One struct for some reductions: its text with a function that combines two of it, one element
/// as such a struct, and the result of each reduction. Where a thread has several elements at once,
/// it adds them up without the divisions of combining: `add` each of them, `settle`, then, where
/// there is one, `spread` each of them.
struct CombinedReduction {
  std::string definition;            ///< struct and combine function, at file scope
  std::string element;               ///< braced initialiser; uses `_t<id>` of the operands
  std::string identity;              ///< braced initialiser; empty where some reduction has none
  std::string neutral;               ///< braced initialiser that combining leaves out
  std::string add;                   ///< an element to `_part`, which began as `neutral`
  std::string settle;                ///< after the last of `_count` elements
  std::string spread;                ///< an element's squared distance from the mean to `_part`
  std::vector<std::string> results;  ///< from a value called `name`, one per reduction
  int bytes = 0;                     ///< that the struct has at most
  std::size_t size = 0;              ///< that it has
};
/// A sum of exp(x - m) whose m is the maximum of the same x: one pass over a row finds both, as the
/// sum so far is scaled whenever the maximum grows (M. Milakov, N. Gimelshein, 2018).
struct OnlineSum {
  int sum = 0;                 ///< the reduction
  int element = 0;             ///< x
  std::size_t maximum_of = 0;  ///< the maximum's place among the reductions
};
/// The sums of a phase's successor that are such of its maxima; empty unless all of them are.
std::vector<OnlineSum> online_sums(const TypedGraph& typed, const std::vector<int>& reductions,
                                   const std::vector<int>& next);

/// `count` is the text of the number of elements reduced. The results of `online` follow those of
/// the reductions; their elements are only in `add`, `settle` and `spread`.
CombinedReduction combined_reduction(const TypedGraph& typed, const std::vector<int>& reductions,
                                     const Emitter& elements, const std::string& type,
                                     const std::string& value, const std::string& count,
                                     const std::vector<OnlineSum>& online = {});

}  // namespace kernelbatch
