#include "core/inline/cpp_reference.hpp"

#include <fmt/format.h>

#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "core/device/device_list.hpp"
#include "core/inline/arguments.hpp"
#include "core/kernel/text/tokens.hpp"

namespace kernelbatch {

Work cpp_reference(const InlineReference& reference, const std::vector<InlineInput>& inputs,
                   const std::vector<OutputArray>& specs, Run& run) {
  // Owns the device: arguments point to the arrays, which are in its memory.
  struct Call {
    std::unique_ptr<Device> host = open_device(choose_device("host"));
    std::unique_ptr<Stream> stream = host->make_stream();
    std::deque<Array> arrays;
    std::vector<Argument> arguments;
  };
  auto call = std::make_unique<Call>();
  const auto& host = call->host;
  std::deque<Array>& arrays = call->arrays;
  std::vector<Argument>& arguments = call->arguments;
  std::string types, parameters;
  const auto add_parameter = [&](const std::string& name) {
    const std::string comma = types.empty() ? "" : ", ";
    types += fmt::format("{}class _T{}", comma, arguments.size());
    parameters += fmt::format("{}_T{} {}", comma, arguments.size(), name);
  };
  const auto add_array = [&](const std::string& name, const Array& memory, const Array& layout) {
    add_parameter(name);
    arrays.push_back(Array::of_memory(memory.data(), memory.dtype(), memory.shape(), host.get())
                         .with_layout(layout.data(), layout.shape(), layout.strides()));
    arguments.emplace_back(arrays.back());
  };
  for (const InlineInput& each : inputs) {
    if (!mentions(reference.body, each.name)) continue;
    if (each.scalar) {
      add_parameter(each.name);
      arguments.push_back(scalar_argument(*each.scalar, each.dtype));
    } else {
      add_array(each.name, each.base, each.array);
    }
  }
  std::vector<Array> outputs;
  for (const OutputArray& output : specs) {
    outputs.push_back(run.output(output.name));
    add_array(output.name, outputs.back(), outputs.back());
  }
  const JitKernel kernel(
      fmt::format("#line 1 \"preamble\"\n{}\n#line 1 \"reference\"\ntemplate <{}> __global__ void "
                  "kernelbatch_reference({}) {{{{\n#line 1 \"reference\"\n{}\n}}}}\n",
                  reference.preamble, types, parameters, reference.body),
      "kernelbatch_reference",
      // The C++ library's headers conflict with CUDA's names unless they are included first.
      {.options = mentions(reference.preamble, "include")
                      ? std::vector<std::string>{"-DKERNELBATCH_STANDARD_HEADERS"}
                      : std::vector<std::string>{}});
  return [call = std::move(call), kernel, outputs, &specs] {
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const OutputArray& spec = specs[k];
      if (spec.initial.bytes() > 0)
        std::memcpy(outputs[k].data(), spec.initial.data(), spec.initial.bytes());
      else if (spec.fill)
        for (std::int64_t at = 0; at < outputs[k].size(); ++at)
          write_number(*spec.fill, spec.dtype,
                       outputs[k].data() + static_cast<std::size_t>(at) * size_of(spec.dtype));
    }
    kernel.launch(*call->stream, {}, call->arguments);
    call->stream->synchronize();
  };
}

}  // namespace kernelbatch
