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

namespace {

/// Owns the device: arguments point to the arrays, which are in its memory.
struct ReferenceCall {
  std::unique_ptr<Device> host = open_device(choose_device("host"));
  std::unique_ptr<Stream> stream = host->make_stream();
  std::deque<Array> arrays;
  std::vector<Argument> arguments;
  std::string types, parameters;  ///< of the kernel's template and of the kernel

  void add(const std::string& name, const Argument& argument) {
    const std::string comma = types.empty() ? "" : ", ";
    types += fmt::format("{}class _T{}", comma, arguments.size());
    parameters += fmt::format("{}_T{} {}", comma, arguments.size(), name);
    arguments.push_back(argument);
  }
  void add(const std::string& name, const Array& memory, const Array& layout) {
    arrays.push_back(Array::of_memory(memory.data(), memory.dtype(), memory.shape(), host.get())
                         .with_layout(layout.data(), layout.shape(), layout.strides()));
    add(name, Argument(arrays.back()));
  }
};

JitKernel make_kernel(const InlineReference& reference, const ReferenceCall& call) {
  // Including them takes longer than compiling most references.
  const bool uses_std = mentions(reference.body, "std") || mentions(reference.preamble, "std");
  const std::string_view headers =
      uses_std ? "#include <algorithm>\n#include <cmath>\n#include <numeric>\n" : "";
  return {fmt::format(
              "{}#line 1 \"preamble\"\n{}\n#line 1 \"reference\"\ntemplate <{}> __global__ void "
              "kernelbatch_reference({}) {{{{\n#line 1 \"reference\"\n{}\n}}}}\n",
              headers, reference.preamble, call.types, call.parameters, reference.body),
          "kernelbatch_reference",
          // The C++ library's headers conflict with CUDA's names unless they are included first.
          {.options = uses_std || mentions(reference.preamble, "include")
                          ? std::vector<std::string>{"-DKERNELBATCH_STANDARD_HEADERS"}
                          : std::vector<std::string>{}}};
}

void fill(const Array& output, const OutputArray& spec) {
  if (spec.initial.bytes() > 0)
    std::memcpy(output.data(), spec.initial.data(), spec.initial.bytes());
  else if (spec.fill)
    for (std::int64_t at = 0; at < output.size(); ++at)
      write_number(*spec.fill, spec.dtype,
                   output.data() + static_cast<std::size_t>(at) * size_of(spec.dtype));
}

}  // namespace

Work cpp_reference(const InlineReference& reference, const std::vector<InlineInput>& inputs,
                   const std::vector<OutputArray>& specs, Run& run) {
  auto call = std::make_unique<ReferenceCall>();
  for (const InlineInput& each : inputs) {
    if (!mentions(reference.body, each.name)) continue;
    if (each.scalar)
      call->add(each.name, scalar_argument(*each.scalar, each.dtype));
    else
      call->add(each.name, each.base, each.array);
  }
  std::vector<Array> outputs;
  for (const OutputArray& output : specs) {
    outputs.push_back(run.output(output.name));
    call->add(output.name, outputs.back(), outputs.back());
  }
  return [kernel = make_kernel(reference, *call), call = std::move(call), outputs, &specs] {
    for (std::size_t k = 0; k < outputs.size(); ++k) fill(outputs[k], specs[k]);
    kernel.launch(*call->stream, {}, call->arguments);
    call->stream->synchronize();
  };
}

}  // namespace kernelbatch
