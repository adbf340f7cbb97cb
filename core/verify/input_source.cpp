#include "core/verify/input_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/array/input.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/process.hpp"
#include "core/base/quantity.hpp"
#include "core/base/text.hpp"
#include "core/verify/input_file.hpp"
#include "core/verify/input_order.hpp"
#include "core/verify/job_value.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

const Scalar* option(const InputSpec& spec, std::string_view key) {
  for (const auto& [name, value] : spec.options)
    if (name == key) return &value;
  return nullptr;
}

double real_of(const Number& number) {
  return std::visit(
      [](auto value) -> double {
        if constexpr (std::is_same_v<decltype(value), std::complex<double>>)
          throw SpecError(fmt::format("a real number is needed, not {}", to_text(Number(value))));
        else
          return static_cast<double>(value);
      },
      number);
}

/// True if the text in place of a number can only be a file name.
bool is_file_name(const std::string& text) {
  constexpr std::string_view kSuffixes[] = {".npy", ".npz", ".mtx", ".h5", ".hdf5"};
  const std::string suffix = split_input_path(text).file.extension().string();
  return std::ranges::find(kSuffixes, suffix) != std::end(kSuffixes);
}

/// Adds the input's name and place to an error without a place in the job.
template <class Body>
auto of_input(const InputSpec& spec, const Body& body) {
  return at_place(spec.place, fmt::format("input '{}': ", spec.name), body);
}

class Maker {
 public:
  Maker(const std::vector<InputSpec>& specs, const NamedValues& params,
        const std::string& job_folder, RandomSource* random)
      : specs_(specs), params_(params), job_folder_(job_folder), random_(random) {}

  std::vector<MadeInput> make_all() {
    for (const InputSpec& spec : specs_) of_input(spec, [&] { make(spec); });
    return std::move(made_);
  }

 private:
  Array allocate(DType dtype, const Shape& shape) const {
    if (!is_form()) return Array::on_host(dtype, shape);
    element_count(shape);
    return Array::of_memory(reinterpret_cast<void*>(std::uintptr_t{4096}), dtype, shape);
  }

  double real(const InputSpec& spec, std::string_view key, double otherwise) const {
    const Scalar* value = option(spec, key);
    return value == nullptr ? otherwise : real_of(evaluate_number(*value, params_));
  }
  DType dtype(const InputSpec& spec) const {
    const Scalar* value = option(spec, "dtype");
    return value == nullptr ? DType::kFloat64 : read_dtype(*value, params_);
  }
  /// The shape from `shape:`, or from the list given to zeros, ones and full.
  Shape shape(const InputSpec& spec) const {
    const Scalar* value = option(spec, "shape");
    if (value == nullptr && (spec.kind == InputKind::kZeros || spec.kind == InputKind::kOnes ||
                             spec.kind == InputKind::kFull))
      value = spec.value.text.empty() ? nullptr : &spec.value;
    if (value == nullptr) throw SpecError("it needs a shape");
    return Shape(evaluate_integers(*value, params_, "shape"));
  }

  void add(const InputSpec& spec, Array array) {
    // A file in Fortran order is a transposed view of its memory.
    const Array base = array.is_contiguous()               ? array
                       : array.transpose().is_contiguous() ? array.transpose()
                                                           : contiguous(array);
    if (!array.is_contiguous() && !array.transpose().is_contiguous()) array = base;
    made_.push_back({spec.name, std::move(array), base, {}, {}, {}});
  }

  const MadeInput& find(const std::string& name) const {
    std::vector<std::string> known;
    for (const MadeInput& each : made_) {
      if (each.name == name && !each.scalar) return each;
      if (!each.scalar) known.push_back(each.name);
    }
    throw SpecError(
        fmt::format("'of: {}' names no array input above it{}", name, suggestion(name, known)));
  }

  void make(const InputSpec& spec) {
    for (const MadeInput& each : made_)
      if (each.name == spec.name) throw SpecError("it is there twice");
    if (spec.kind == InputKind::kScalar) {
      if (is_file_name(spec.value.text))
        fail_at(spec.value.place, fmt::format("a file is written {{file: {}}}", spec.value.text));
      MadeInput made;
      made.name = spec.name;
      made.scalar = evaluate_number(spec.value, params_);
      if (const Scalar* named = option(spec, "dtype")) made.dtype = read_dtype(*named, params_);
      std::byte ignored[16];
      if (made.dtype) write_number(*made.scalar, *made.dtype, ignored);
      made_.push_back(std::move(made));
    } else if (spec.kind == InputKind::kOf) {
      const MadeInput& base = find(spec.value.text);
      const Array view = view_of(base.array, read_view_steps(spec.options, params_));
      made_.push_back({spec.name, view, base.base, {}, {}, {}});
    } else if (spec.kind == InputKind::kFile) {
      make_from_file(spec);
    } else {
      add(spec, make_array(spec));
    }
  }

  void make_from_file(const InputSpec& spec) {
    InputPath path = split_input_path(spec.value.text);
    path.file = find_input_file(spec, job_folder_);
    if (const Scalar* dataset = option(spec, "dataset")) path.member = dataset->text;
    const Scalar* as = option(spec, "dtype");
    const auto convert = [&](const Array& array) {
      if (as == nullptr) return array;
      if (is_form()) return allocate(read_dtype(*as, params_), array.shape());
      return astype(array, read_dtype(*as, params_));
    };
    if (is_form())
      if (const auto form = input_form(path))
        return add(spec, convert(allocate(form->dtype, form->shape)));
    const auto read = read_input_file(path);
    if (const Array* array = std::get_if<Array>(&read)) return add(spec, in_order(convert(*array)));
    const auto& matrix = std::get<CsrMatrix>(read);
    for (const auto& [part, array] :
         {std::pair(".indptr", matrix.indptr), std::pair(".indices", matrix.indices),
          std::pair(".data",
                    is_form() ? convert(matrix.data) : random_->reordered(convert(matrix.data)))})
      made_.push_back(
          {spec.name + part, array, array, {}, {}, std::pair(matrix.rows, matrix.columns)});
  }

  /// True if arrays have only a dtype and a shape.
  bool is_form() const { return random_ == nullptr; }

  Array in_order(const Array& array) const {
    return is_form() ? array : in_another_order(array, *random_);
  }

  Array make_array(const InputSpec& spec) {
    if (spec.kind == InputKind::kValues) {
      const YamlNode node = parse_yaml_argument(spec.value.text, to_text(spec.value.place));
      const Scalar* as = option(spec, "dtype");
      Array array = read_values(
          node, as == nullptr ? std::nullopt : std::optional(read_dtype(*as, params_)), params_);
      return option(spec, "shape") == nullptr ? array : array.reshape(shape(spec));
    }
    const DType type = dtype(spec);
    if (spec.kind == InputKind::kArange) return make_arange(spec, type);
    if (spec.kind == InputKind::kLinspace) return make_linspace(spec, type);
    const Shape extents = shape(spec);
    if (spec.kind == InputKind::kRandom) {
      const Scalar* given = option(spec, "seed");
      const auto seed =
          static_cast<std::uint64_t>(given == nullptr ? 0 : evaluate_integer(*given, params_));
      const double low = real(spec, "low", 0), high = real(spec, "high", 1);
      const double mean = real(spec, "mean", 0), deviation = real(spec, "std", 1);
      if (!(deviation >= 0))
        throw SpecError(fmt::format("'std' must not be negative: it is {}", deviation));
      if (!(low < high) || !std::isfinite(high - low))
        throw SpecError(fmt::format(
            "'low' must be below 'high', and both finite: they are {} and {}", low, high));
      if (is_form()) return allocate(type, extents);
      return spec.value.text == name_of(Distribution::kNormal)
                 ? random_->normal(type, extents, mean, deviation, seed)
                 : random_->uniform(type, extents, low, high, seed);
    }
    Number value = std::int64_t{spec.kind == InputKind::kOnes ? 1 : 0};
    if (spec.kind == InputKind::kFull) {
      const Scalar* given = option(spec, "value");
      if (given == nullptr) throw SpecError("'full' needs a value");
      value = evaluate_number(*given, params_);
    }
    std::byte element[16];
    write_number(value, type, element);
    Array array = allocate(type, extents);
    if (!is_form())
      for (std::int64_t k = 0; k < array.size(); ++k)
        std::copy_n(element, size_of(type),
                    array.data() + static_cast<std::size_t>(k) * size_of(type));
    return array;
  }

  Array make_arange(const InputSpec& spec, DType type) {
    const std::int64_t count = evaluate_integer(spec.value, params_);
    if (count < 0) throw SpecError(fmt::format("arange of {} elements", count));
    const Shape extents = option(spec, "shape") == nullptr ? Shape{count} : shape(spec);
    if (element_count(extents) != count)
      throw SpecError(
          fmt::format("arange of {} elements cannot have shape {}", count, to_text(extents)));
    const double start = real(spec, "start", 0), step = real(spec, "step", 1);
    if (is_form()) return allocate(type, extents);
    // Integers with another step may be offsets.
    const Array made = arange(type, extents, start, step);
    return is_floating(type) || step == 1 ? random_->reordered(made) : made;
  }

  Array make_linspace(const InputSpec& spec, DType type) {
    const YamlNode list = parse_yaml_argument(spec.value.text, to_text(spec.value.place));
    if (!list.is_list() || list.children.size() != 3)
      throw SpecError("'linspace' needs [first, last, count]");
    const auto number = [&](std::size_t k) {
      return evaluate_number({list.children[k].text, spec.value.place, false}, params_);
    };
    const double first = real_of(number(0)), last = real_of(number(1));
    const std::int64_t count =
        evaluate_integer({list.children[2].text, spec.value.place, false}, params_);
    if (count < 0) throw SpecError(fmt::format("linspace of {} elements", count));
    Array array = allocate(type, {count});
    const DTypeKind kind = info(type).kind;
    const bool is_integer = kind == DTypeKind::kSigned || kind == DTypeKind::kUnsigned;
    for (std::int64_t k = 0; !is_form() && k < count; ++k) {
      // The last element is exact, whatever the rounding of the step.
      const double at = k + 1 == count && count > 1
                            ? last
                            : first + (last - first) * static_cast<double>(k) /
                                          static_cast<double>(std::max<std::int64_t>(1, count - 1));
      // Rounded down for integers, like NumPy.
      write_number(is_integer ? std::floor(at) : at, type,
                   array.data() + static_cast<std::size_t>(k) * size_of(type));
    }
    if (!is_form() && !is_integer) array = random_->reordered(array);
    return option(spec, "shape") == nullptr ? array : array.reshape(shape(spec));
  }

  const std::vector<InputSpec>& specs_;
  const NamedValues& params_;
  const std::string& job_folder_;
  RandomSource* random_;
  std::vector<MadeInput> made_;
};

}  // namespace

std::vector<MadeInput> make_inputs(const std::vector<InputSpec>& specs, const NamedValues& params,
                                   const std::string& job_folder, RandomSource* random) {
  return Maker(specs, params, job_folder, random).make_all();
}

fs::path find_input_file(const InputSpec& spec, const std::string& job_folder) {
  const fs::path given = split_input_path(spec.value.text).file;
  std::vector<fs::path> tried;
  if (given.is_absolute()) {
    tried = {given};
  } else {
    tried = {fs::path(job_folder) / given, given};
    for (const std::string& data : data_folders())
      tried.push_back(fs::path(data).parent_path() / given);
  }
  std::error_code ignored;
  for (const fs::path& path : tried)
    if (fs::exists(path, ignored)) return path;
  fail_at(spec.place, fmt::format("input '{}': there is no file '{}'", spec.name, given.string()));
}

std::vector<std::string> data_folders() {
  std::vector<std::string> folders;
  if (const auto named = environment("KERNELBATCH_DATA_DIR")) folders.push_back(*named);
  const fs::path beside = executable_path().parent_path();
  folders.push_back(beside.parent_path() / "share" / "kernelbatch" / "data");
  // For a build folder inside the source tree: build/kernelbatch and build/tests/….
  folders.push_back(beside.parent_path() / "data");
  folders.push_back(beside.parent_path().parent_path() / "data");
  return folders;
}

}  // namespace kernelbatch
