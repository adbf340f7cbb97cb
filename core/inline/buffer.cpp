#include "core/inline/buffer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/inline/options.hpp"
#include "core/job/reader.hpp"
#include "core/verify/job_value.hpp"

namespace kernelbatch {
namespace {

/// The input named by `fill`, whose form and contents the output has; null if there is none.
const InlineInput* filling_input(const YamlNode& fill, const std::vector<InlineInput>& inputs) {
  const std::string name = read_scalar(fill, "fill").text;
  const auto named = std::ranges::find(inputs, name, &InlineInput::name);
  return named != inputs.end() && !named->scalar ? &*named : nullptr;
}

ArrayForm read_form(const std::string& name, const InlineOptions& options, const YamlNode& node,
                    const InlineInput* from) {
  const ArrayForm given =
      from != nullptr ? ArrayForm{from->array.dtype(), from->array.shape()} : ArrayForm{};
  ArrayForm form = given;
  if (const YamlNode* dtype = options.find("dtype"))
    form.dtype = read_dtype(read_scalar(*dtype, "dtype"), options.facts());
  if (const YamlNode* shape = options.find("shape"))
    form.shape =
        Shape(evaluate_integers(read_scalar_or_list(*shape, "shape"), options.facts(), "shape"));
  else if (from == nullptr)
    fail_at(node.place, fmt::format("output '{}' needs a shape", name));
  element_count(form.shape);
  if (from != nullptr && (!(given.shape == form.shape) || given.dtype != form.dtype))
    fail_at(node.place, fmt::format("output '{}' is {} {}, and 'fill: {}' is {} {}", name,
                                    name_of(form.dtype), to_text(form.shape), from->name,
                                    name_of(given.dtype), to_text(given.shape)));
  return form;
}

}  // namespace

InlineBuffer read_buffer(const std::string& name, const YamlNode& node,
                         const std::vector<InlineInput>& inputs, const NamedValues& facts) {
  const InlineOptions options(node, facts);
  InlineBuffer buffer;
  buffer.name = name;
  if (const YamlNode* of = options.find("of")) {
    buffer.of = read_text(*of, "of");
    buffer.steps = options.view_steps();
    return buffer;
  }
  const YamlNode* fill = options.find("fill");
  const InlineInput* from = fill != nullptr ? filling_input(*fill, inputs) : nullptr;
  if (fill != nullptr && from == nullptr)
    buffer.fill = evaluate_number(read_scalar(*fill, "fill"), facts);
  buffer.form = read_form(name, options, node, from);
  if (from != nullptr) buffer.initial = from->array;
  buffer.units = options.text("units", "1");
  if (const YamlNode* dimensions = options.find("dimensions"))
    for (const Scalar& each : read_scalars(*dimensions, "dimensions"))
      buffer.dimensions.push_back(each.text);
  if (buffer.fill)
    with_place(fill->place, "fill", [&] {
      std::byte ignored[16];
      write_number(*buffer.fill, buffer.form.dtype, ignored);
    });
  return buffer;
}

}  // namespace kernelbatch
