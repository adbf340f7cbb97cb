#include "core/verify/job_inputs.hpp"

#include <fmt/format.h>

#include <tuple>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/verify/input_order.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

JobInputs::JobInputs(std::vector<InputSpec> specs, NamedValues params, std::string job_folder,
                     std::uint64_t shift)
    : specs_(std::move(specs)),
      taken_(specs_.size(), false),
      params_(std::move(params)),
      job_folder_(std::move(job_folder)),
      random_(shift) {}

Array JobInputs::take(std::string_view name, const std::function<Array()>& make) {
  Array array = find_or_make(name, [&] { return in_another_order(make(), random_); });
  handed_out_.emplace_back(name, array);
  return array;
}

CsrMatrix JobInputs::take_sparse(std::string_view name, const std::function<CsrMatrix()>& make) {
  CsrMatrix matrix = find_or_make_sparse(name, make);
  const std::string shape = fmt::format("{} {}x{}", name, matrix.rows, matrix.columns);
  handed_out_.emplace_back(shape + " indptr", matrix.indptr);
  handed_out_.emplace_back(shape + " indices", matrix.indices);
  handed_out_.emplace_back(shape + " data", matrix.data);
  return matrix;
}

std::string JobInputs::content_hash() const {
  std::string text;
  for (const auto& [name, array] : handed_out_) {
    const Array whole = contiguous(array);
    text += fmt::format("{} {} {} {}\n", name, name_of(array.dtype()), to_text(array.shape()),
                        hash_hex(std::span<const std::byte>(whole.data(), whole.bytes())));
  }
  for (const fs::path& file : files_) text += hash_hex(MappedFile(file).bytes()) + "\n";
  return hash_hex(text);
}

Array JobInputs::find_or_make(std::string_view name, const std::function<Array()>& make) {
  for (std::size_t k = 0; k < specs_.size(); ++k) {
    if (specs_[k].name != name) continue;
    taken_[k] = true;
    if (made_.empty()) made_ = make_inputs(specs_, params_, job_folder_, &random_);
    for (const MadeInput& each : made_) {
      if (each.name != name) continue;
      if (!each.scalar) return contiguous(each.array);
      Array array = Array::on_host(each.dtype.value_or(dtype_of(*each.scalar)), {});
      write_number(*each.scalar, array.dtype(), array.data());
      return array;
    }
    fail_at(specs_[k].place,
            fmt::format("input '{}' is a sparse matrix, the workload takes an array", name));
  }
  return make();
}

CsrMatrix JobInputs::find_or_make_sparse(std::string_view name,
                                         const std::function<CsrMatrix()>& make) {
  for (std::size_t k = 0; k < specs_.size(); ++k) {
    if (specs_[k].name != name) continue;
    taken_[k] = true;
    if (made_.empty()) made_ = make_inputs(specs_, params_, job_folder_, &random_);
    CsrMatrix matrix;
    for (const MadeInput& each : made_) {
      if (!each.sparse_shape || !each.name.starts_with(std::string(name) + ".")) continue;
      std::tie(matrix.rows, matrix.columns) = *each.sparse_shape;
      const std::string_view part = std::string_view(each.name).substr(name.size() + 1);
      (part == "indptr"    ? matrix.indptr
       : part == "indices" ? matrix.indices
                           : matrix.data) = each.array;
    }
    if (matrix.data.axes() == 0)
      fail_at(specs_[k].place,
              fmt::format("input '{}' is an array, the workload takes a sparse matrix", name));
    return matrix;
  }
  return make();
}

std::string JobInputs::data_file(std::string_view name) const {
  std::error_code ignored;
  for (const std::string& folder : data_folders())
    if (const fs::path path = fs::path(folder) / name; fs::exists(path, ignored)) {
      files_.push_back(path);
      return path;
    }
  throw SpecError(fmt::format("the data file '{}' is not in {}; set KERNELBATCH_DATA_DIR", name,
                              join(data_folders())));
}

void JobInputs::require_all_taken() const {
  for (std::size_t k = 0; k < specs_.size(); ++k)
    if (!taken_[k])
      fail_at(specs_[k].place, fmt::format("the workload takes no input '{}'", specs_[k].name));
}

}  // namespace kernelbatch
