#include "core/verify/reference_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/job/reader.hpp"
#include "core/verify/input_file.hpp"
#include "core/verify/input_source.hpp"

namespace kernelbatch {
namespace {

InputPath path_of(const ReferenceFile& reference, const std::string& job_folder) {
  InputSpec spec;
  spec.name = "reference";
  spec.kind = InputKind::kFile;
  spec.value = reference.file;
  spec.place = reference.file.place;
  InputPath path = split_input_path(reference.file.text);
  path.file = find_input_file(spec, job_folder);
  if (!reference.dataset.text.empty()) path.member = reference.dataset.text;
  return path;
}

}  // namespace

void require_reference_file(const ReferenceFile& reference, const std::string& job_folder) {
  path_of(reference, job_folder);
}

std::map<std::string, Array> read_reference_file(const ReferenceFile& reference,
                                                 const std::vector<OutputArray>& outputs,
                                                 const std::string& job_folder) {
  const InputPath path = path_of(reference, job_folder);
  std::map<std::string, Array> expected;
  with_place(reference.file.place, "reference", [&] {
    const auto read = read_input_file(path);
    const Array* array = std::get_if<Array>(&read);
    if (array == nullptr) throw SpecError("a sparse matrix cannot be a reference");
    const std::string name = path.member.empty() ? path.file.stem().string()
                                                 : path.member.substr(path.member.rfind('/') + 1);
    auto output = std::ranges::find(outputs, name, &OutputArray::name);
    if (output == outputs.end() && outputs.size() == 1) output = outputs.begin();
    if (output == outputs.end()) {
      std::vector<std::string> names;
      for (const OutputArray& each : outputs) names.push_back(each.name);
      throw SpecError(fmt::format("'{}' is none of the outputs {}{}", name, join(names),
                                  suggestion(name, names)));
    }
    if (!(array->shape() == output->shape))
      throw SpecError(fmt::format("the reference has shape {}, the output '{}' {}",
                                  to_text(array->shape()), output->name, to_text(output->shape)));
    expected[output->name] = contiguous(*array);
  });
  return expected;
}

}  // namespace kernelbatch
