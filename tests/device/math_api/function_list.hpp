// The list of CUDA's Math API (functions.txt), and kernels that call each of its functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kernelbatch::test {

/// A type by its word in the list.
struct ListType {
  enum class Kind { kInteger, kFloat, kOrder, kShift };
  std::string_view word, c_type;
  int bytes;  ///< of one value
  int parts;  ///< 2 of a pair
  Kind kind;
};

/// One function, or overload.
struct ListedFunction {
  std::string section, signature, name;
  std::vector<const ListType*> inputs;
  std::vector<const ListType*>
      outputs;               ///< its value, if it has one, then results through pointers
  std::string call;          ///< of `a0[i]`, `v1` and `&o1[i]`
  std::string before;        ///< declarations needed by the call
  std::string bound;         ///< "exact", "own", "abs 1e-7" or units in the last place
  double low = 0, high = 0;  ///< domain of the first argument, if it has one
  std::string target;        ///< "sm_100" if only newer GPUs have it
  bool returns_void = false;
};

/// functions.txt, built into the program.
std::string_view listed_functions();
std::vector<ListedFunction> read_functions(const std::string& text);

/// `f<number>`, with one pointer per input and output and the count: one element for each thread.
std::string kernel_text(const ListedFunction& function, std::size_t number);

/// Arguments for an input, in memory as a kernel reads them: edges, denormals, all exponents, and
/// values close to those of the argument before it. The same for the same seed.
std::vector<std::uint8_t> arguments_for(const ListedFunction& function, std::size_t input,
                                        std::size_t count, std::uint64_t seed,
                                        const std::vector<std::uint8_t>& before);

/// Distance of two results.
struct Distance {
  std::size_t different = 0;  ///< bits, not counting NaN against NaN
  double ulp = 0;             ///< largest; infinite for NaN against a number
  double absolute = 0;
  std::size_t worst = 0;  ///< index of the largest
};
Distance distance_of(const ListType& type, const std::vector<std::uint8_t>& a,
                     const std::vector<std::uint8_t>& b, std::size_t count);

/// One value as text: its number and its bits.
std::string value_text(const ListType& type, const std::vector<std::uint8_t>& values,
                       std::size_t index);

}  // namespace kernelbatch::test
