// Random kernel definitions with an evaluator independent of the kernel layer: trees of integer
// arithmetic, written as C++ and also computed element by element.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/array/number.hpp"
#include "core/array/view.hpp"
#include "core/base/process.hpp"
#include "tests/support/device.hpp"

namespace kernelbatch::test {

struct DefinitionBatch {
  std::uint64_t seed = 0;
  int count = 0;
};

/// Number of definitions: 60 that are always the same, and 60 with a seed that depends on the
/// commit or KERNELBATCH_TEST_SEED; KERNELBATCH_RANDOM_DEFINITIONS replaces 60.
inline std::array<DefinitionBatch, 2> definition_batches(std::uint64_t fixed_seed) {
  const auto number = [](const char* name) { return environment(name).value_or(""); };
  const std::string count = number("KERNELBATCH_RANDOM_DEFINITIONS");
  std::string seed = number("KERNELBATCH_TEST_SEED");
  if (seed.empty()) seed = number("KERNELBATCH_COMMIT_SEED");
  const int each = count.empty() ? 60 : std::stoi(count);
  return {{{fixed_seed, each}, {seed.empty() ? 1 : std::stoull(seed), each}}};
}

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  /// In [low, high].
  int between(int low, int high) {
    return low + static_cast<int>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(int percent) { return between(1, 100) <= percent; }
  DType dtype() { return static_cast<DType>(between(0, static_cast<int>(kDTypeCount) - 1)); }
  template <class T>
  T pick(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(between(0, static_cast<int>(list.size()) - 1))];
  }

 private:
  std::mt19937_64 engine_;
};

/// An array with small integers (0 or 1 for bool), its copy on the device, and its elements by
/// coordinate.
struct RandomArray {
  Array host, base, device;  ///< `host` is a view of `base`; `device` the same view of its copy

  std::int64_t at(const std::vector<std::int64_t>& coordinates) const {
    const std::byte* from = host.data();
    for (int axis = 0; axis < host.axes(); ++axis)
      from += coordinates[static_cast<std::size_t>(axis)] * host.strides()[axis];
    const Number number = read_number(host.dtype(), from);
    if (const auto* z = std::get_if<std::complex<double>>(&number))
      return static_cast<std::int64_t>(z->real());
    if (const auto* real = std::get_if<double>(&number)) return static_cast<std::int64_t>(*real);
    if (const auto* truth = std::get_if<bool>(&number)) return *truth ? 1 : 0;
    if (const auto* wide = std::get_if<std::uint64_t>(&number))
      return static_cast<std::int64_t>(*wide);
    return std::get<std::int64_t>(number);
  }
  /// Element under NumPy's broadcasting to a shape with these coordinates.
  std::int64_t broadcast_at(const std::vector<std::int64_t>& coordinates) const {
    std::vector<std::int64_t> own;
    const auto missing = static_cast<int>(coordinates.size()) - host.axes();
    for (int axis = 0; axis < host.axes(); ++axis)
      own.push_back(
          host.shape()[axis] == 1 ? 0 : coordinates[static_cast<std::size_t>(axis + missing)]);
    return at(own);
  }
};

/// Coordinates of a linear index in C order.
inline std::vector<std::int64_t> coordinates_of(std::int64_t linear, const Shape& shape) {
  std::vector<std::int64_t> at(static_cast<std::size_t>(shape.count()));
  for (int axis = shape.count() - 1; axis >= 0; --axis) {
    at[static_cast<std::size_t>(axis)] = linear % shape[axis];
    linear /= shape[axis];
  }
  return at;
}

/// A random layout of `shape`: permuted axes, steps, reversed axes, gaps before and after.
/// `make(stored)` is the array of which it is a view.
template <class Make>
Array random_view(Dice& dice, const Shape& shape, Make make) {
  const int axes = shape.count();
  std::vector<int> order, back(static_cast<std::size_t>(axes));
  for (int k = 0; k < axes; ++k)
    order.insert(order.begin() + (dice.chance(60) ? k : dice.between(0, k)), k);
  Shape stored;
  std::vector<int> steps, starts;
  for (const int axis : order) {
    const int step = dice.chance(75) ? 1 : dice.between(2, 3);
    const int start = dice.chance(80) ? 0 : dice.between(1, 2);
    steps.push_back(step);
    starts.push_back(start);
    stored.push_back(start + shape[axis] * step);
  }
  Array view = make(stored);
  for (int k = 0; k < axes; ++k) {
    const auto at = static_cast<std::size_t>(k);
    back[static_cast<std::size_t>(order[at])] = k;
    const std::int64_t count = shape[order[at]];
    const bool backwards = count > 0 && dice.chance(25);
    view = view.slice(k, backwards ? starts[at] + (count - 1) * steps[at] : starts[at], count,
                      backwards ? -steps[at] : steps[at]);
  }
  return view.transpose(back);
}

inline RandomArray random_array(Dice& dice, DType dtype, const Shape& shape) {
  RandomArray made;
  made.host = random_view(dice, shape, [&](const Shape& stored) {
    made.base = Array::on_host(dtype, stored);
    for (std::int64_t k = 0; k < made.base.size(); ++k)
      write_number(std::int64_t{dice.between(0, dtype == DType::kBool ? 1 : 5)}, dtype,
                   made.base.data() + static_cast<std::size_t>(k) * size_of(dtype));
    return made.base;
  });
  made.device = same_view(made.host, made.base, to_device(made.base, stream()));
  return made;
}

/// A shape that broadcasts to `shape`: leading axes omitted, others of extent 1.
inline Shape random_operand_shape(Dice& dice, const Shape& shape) {
  Shape result;
  const int skipped = dice.chance(60) ? 0 : dice.between(0, shape.count());
  for (int axis = skipped; axis < shape.count(); ++axis)
    result.push_back(dice.chance(20) ? 1 : shape[axis]);
  return result;
}

/// Names that a tree can use in one iteration.
struct Sight {
  std::vector<std::string> names;    ///< C++ that gives a long long
  std::vector<std::int64_t> values;  ///< the same, computed here
};

/// An integer expression over Sight.
struct Tree {
  enum class Kind { kLeaf, kConstant, kAdd, kSubtract, kMultiply, kMin, kMax, kSelect };
  Kind kind = Kind::kConstant;
  std::size_t leaf = 0;
  std::int64_t constant = 0;
  std::vector<Tree> children = {};

  static Tree random(Dice& dice, std::size_t leaves, int depth) {
    Tree tree;
    if (depth == 0 || dice.chance(15)) {
      if (leaves > 0 && dice.chance(85)) {
        tree.kind = Kind::kLeaf;
        tree.leaf = static_cast<std::size_t>(dice.between(0, static_cast<int>(leaves) - 1));
      } else {
        tree.constant = dice.between(-3, 3);
      }
      return tree;
    }
    tree.kind = static_cast<Kind>(dice.between(2, 7));
    const int count = tree.kind == Kind::kSelect ? 4 : 2;
    for (int k = 0; k < count; ++k) tree.children.push_back(random(dice, leaves, depth - 1));
    return tree;
  }

  std::string text(const std::vector<std::string>& names) const {
    const auto child = [&](std::size_t k) { return children[k].text(names); };
    switch (kind) {
      case Kind::kLeaf:
        return names[leaf];
      case Kind::kConstant:
        return fmt::format("({}LL)", constant);
      case Kind::kAdd:
        return fmt::format("({} + {})", child(0), child(1));
      case Kind::kSubtract:
        return fmt::format("({} - {})", child(0), child(1));
      case Kind::kMultiply:
        return fmt::format("({} * {})", child(0), child(1));
      case Kind::kMin:
        return fmt::format("min({}, {})", child(0), child(1));
      case Kind::kMax:
        return fmt::format("max({}, {})", child(0), child(1));
      case Kind::kSelect:
        return fmt::format("({} < {} ? {} : {})", child(0), child(1), child(2), child(3));
    }
    return {};
  }

  std::int64_t value(const std::vector<std::int64_t>& values) const {
    const auto child = [&](std::size_t k) { return children[k].value(values); };
    switch (kind) {
      case Kind::kLeaf:
        return values[leaf];
      case Kind::kConstant:
        return constant;
      case Kind::kAdd:
        return child(0) + child(1);
      case Kind::kSubtract:
        return child(0) - child(1);
      case Kind::kMultiply:
        return child(0) * child(1);
      case Kind::kMin:
        return std::min(child(0), child(1));
      case Kind::kMax:
        return std::max(child(0), child(1));
      case Kind::kSelect:
        return child(0) < child(1) ? child(2) : child(3);
    }
    return 0;
  }
};

/// "(long long)x", from an element of any dtype.
inline std::string as_integer(DType dtype, const std::string& name) {
  if (info(dtype).kind == DTypeKind::kComplex) return fmt::format("((long long){}.real())", name);
  return fmt::format("((long long){})", name);
}

/// Result of a C++ conversion from long long to an element of `dtype`. For the small values here
/// every floating type except the 16-bit ones is exact; these round to nearest even.
inline void store_integer(std::int64_t value, DType dtype, std::byte* to) {
  switch (info(dtype).kind) {
    case DTypeKind::kBool:
      write_number(value != 0, dtype, to);
      return;
    case DTypeKind::kSigned:
    case DTypeKind::kUnsigned:
      std::memcpy(to, &value, size_of(dtype));  // modulo 2^bits, little-endian
      return;
    default:
      write_number(static_cast<double>(value), dtype, to);
  }
}

/// "z = T(value)" for an output of `dtype`, from a long long.
inline std::string store_text(DType dtype, const std::string& name, const std::string& value) {
  switch (info(dtype).kind) {
    case DTypeKind::kBool:
      return fmt::format("{} = {} != 0;", name, value);
    case DTypeKind::kSigned:
    case DTypeKind::kUnsigned:
      return fmt::format("{} = static_cast<{}>({});", name, info(dtype).c_name, value);
    case DTypeKind::kComplex:
      return fmt::format("{} = {}(static_cast<decltype({}.real())>({}));", name, info(dtype).c_name,
                         name, value);
    case DTypeKind::kFloat:
      break;
  }
  return fmt::format("{} = {}(static_cast<float>({}));", name, info(dtype).c_name, value);
}

/// A random shape: up to `axes` axes, mostly short ones.
inline Shape random_shape(Dice& dice, int axes, int longest) {
  Shape shape;
  const int count = dice.between(0, axes);
  const int long_axis = dice.chance(40) && count > 0 ? dice.between(0, count - 1) : -1;
  for (int axis = 0; axis < count; ++axis)
    shape.push_back(axis == long_axis ? dice.between(30, longest)
                    : dice.chance(3)  ? 0
                                      : dice.between(1, 5));
  return shape;
}

}  // namespace kernelbatch::test
