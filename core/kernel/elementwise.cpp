#include "core/kernel/elementwise.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/kernel/code_template.hpp"
#include "core/kernel/loop_plan.hpp"
#include "core/kernel/tokens.hpp"
#include "core/kernel/type_solver.hpp"
#include "kernel_embedded.hpp"

namespace kernelbatch {
namespace {

enum class LoopKind { kDense, kPacked, kStrided };

/// One parameter of one call.
struct Operand {
  const Parameter* parameter = nullptr;
  std::string c_type;
  Array array;  ///< empty for a scalar
  const Argument* scalar = nullptr;
  bool is_output = false;
  bool is_preloaded = false;  ///< an output whose old value the text may see
  int slot = -1;              ///< among the looped-over arrays
};

std::string indent(const std::vector<std::string>& lines, int columns) {
  std::string text;
  for (const std::string& line : lines)
    text += fmt::format("{}{:{}}{}", text.empty() ? "" : "\n", "", columns, line);
  return text;
}

}  // namespace

struct ElementwiseKernel::Call {
  ResolvedTypes types;
  std::vector<Operand> operands;  ///< inputs, then outputs
  std::vector<Array> looped;      ///< the non-raw arrays, by slot
  std::vector<Array> outputs;
  LoopPlan plan;
  LoopKind kind = LoopKind::kDense;
  int pack = 1;
  bool is_wide = false;

  const char* index_type() const { return is_wide ? "long long" : "int"; }
  std::string key() const {
    std::string key = fmt::format("{} {} {} {}", static_cast<int>(kind), pack, is_wide,
                                  kind == LoopKind::kStrided ? plan.rank() : 0);
    for (const Operand& operand : operands) {
      key += fmt::format(" {}", operand.c_type);
      if (operand.scalar != nullptr)
        key += "=";
      else if (operand.parameter->is_raw)
        key +=
            fmt::format("[{}{}]", operand.array.axes(), operand.array.is_contiguous() ? "c" : "");
      else if (kind != LoopKind::kStrided &&
               plan.strides[static_cast<std::size_t>(operand.slot)][0] == 0)
        key += "~";
    }
    return key;
  }
};

ElementwiseKernel::ElementwiseKernel(std::string_view in_params, std::string_view out_params,
                                     std::string_view operation, std::string_view name,
                                     ElementwiseOptions options)
    : in_(parse_parameters(in_params, "in_params")),
      out_(parse_parameters(out_params, "out_params")),
      operation_(operation),
      name_(name),
      options_(std::move(options)) {
  require_kernel_name(name_);
  require_distinct(in_, out_);
  skips_stores_ = mentions(operation_, "continue") || mentions(operation_, "return");
  const std::vector<std::string> tokens = tokens_of(operation_);
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    const std::string& token = tokens[k];
    needs_axes_ = needs_axes_ || (token == "get" && k > 1 && tokens[k - 2] == "_ind") ||
                  (token.size() > 1 && token[0] == 'i' &&
                   token.find_first_not_of("0123456789", 1) == std::string::npos);
  }
}

ElementwiseKernel::Call ElementwiseKernel::prepare(Stream& stream,
                                                   std::span<const Argument> arguments,
                                                   std::optional<std::int64_t> size) const {
  const bool outputs_given = arguments.size() == in_.size() + out_.size();
  if (!outputs_given && arguments.size() != in_.size())
    throw SpecError(
        fmt::format("wrong number of arguments for '{}': expected {} or {} (with outputs), "
                    "got {}",
                    name_, in_.size(), in_.size() + out_.size(), arguments.size()));
  const auto in_arguments = arguments.first(in_.size());
  const auto out_arguments = arguments.subspan(in_.size());
  for (std::size_t k = 0; k < out_arguments.size(); ++k)
    if (!out_arguments[k].is_array())
      throw SpecError(fmt::format("output '{}' of '{}' must be an array", out_[k].name, name_));

  Call call;
  call.types = solve_types(in_, out_, in_arguments, out_arguments);

  std::vector<Shape> shapes;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const Parameter& parameter = k < in_.size() ? in_[k] : out_[k - in_.size()];
    if (arguments[k].is_array() && !parameter.is_raw)
      shapes.push_back(arguments[k].array().shape());
    if (!arguments[k].is_array() && parameter.is_raw)
      throw SpecError(
          fmt::format("raw parameter '{}' of '{}' must be an array", parameter.name, name_));
    if (arguments[k].is_array() && arguments[k].array().device() != &stream.device())
      throw SpecError(fmt::format("argument '{}' of '{}' is not on the stream's device",
                                  parameter.name, name_));
  }
  if (size && !shapes.empty())
    throw SpecError(fmt::format("'{}': size can be given only if every array is raw", name_));
  if (!size && shapes.empty())
    throw SpecError(
        fmt::format("'{}': the loop's size is undecided: every array is raw, so give size", name_));
  if (size && *size < 0) throw SpecError(fmt::format("'{}': size {} is negative", name_, *size));
  const Shape shape = size ? Shape{*size} : broadcast_shapes(shapes);

  for (std::size_t k = 0; k < out_.size(); ++k) {
    if (outputs_given) {
      const Array& given = out_arguments[k].array();
      if (!out_[k].is_raw && !(given.shape() == shape))
        throw SpecError(
            fmt::format("output '{}' of '{}' has shape {}, the operands broadcast to {}",
                        out_[k].name, name_, to_text(given.shape()), to_text(shape)));
      call.outputs.push_back(given);
    } else {
      call.outputs.push_back(Array::on_device(stream.device(), call.types.out[k], shape));
    }
  }

  const auto add = [&](const Parameter& parameter, DType dtype, const Argument* argument,
                       const Array* output) {
    Operand operand;
    operand.parameter = &parameter;
    operand.c_type = info(dtype).c_name;
    operand.is_output = output != nullptr;
    if (output != nullptr)
      operand.array = *output;
    else if (argument->is_array())
      operand.array = argument->array();
    else
      operand.scalar = argument;
    if (operand.scalar == nullptr && !parameter.is_raw) {
      operand.slot = static_cast<int>(call.looped.size());
      call.looped.push_back(operand.array);
    }
    operand.is_preloaded =
        operand.is_output && (skips_stores_ || !assigns_first(operation_, parameter.name));
    call.operands.push_back(std::move(operand));
  };
  for (std::size_t k = 0; k < in_.size(); ++k)
    add(in_[k], call.types.in[k], &in_arguments[k], nullptr);
  for (std::size_t k = 0; k < out_.size(); ++k)
    add(out_[k], call.types.out[k], nullptr, &call.outputs[k]);
  for (const Operand& out : call.operands)
    if (out.is_output && out.slot >= 0) require_own_elements(out.array, out.parameter->name);
  for (const Operand& in : call.operands)
    for (const Operand& out : call.operands)
      if (!in.is_output && out.is_output && in.slot >= 0 && out.slot >= 0)
        require_no_overlap(in.array, out.array, in.parameter->name, out.parameter->name);

  const bool keeps_axes = needs_axes_ || !options_.reduce_dims;
  call.plan = plan_loop(call.looped, shape, !keeps_axes);
  call.is_wide = call.plan.is_wide();
  if (keeps_axes || !call.plan.is_dense(call.looped)) {
    call.kind = LoopKind::kStrided;
    return call;
  }
  const int vector_bytes = stream.device().properties().vector_bytes;
  std::size_t largest = 1;
  bool is_aligned = true;
  for (const Array& array : call.looped) {
    largest = std::max(largest, size_of(array.dtype()));
    is_aligned = is_aligned && reinterpret_cast<std::uintptr_t>(array.data()) % 16 == 0;
  }
  const int pack = vector_bytes / static_cast<int>(largest);
  // A skipped store concerns one element: a pack could not leave it out.
  if (pack > 1 && is_aligned && !skips_stores_) {
    call.kind = LoopKind::kPacked;
    call.pack = pack;
  }
  return call;
}

std::string ElementwiseKernel::generate(const Call& call) const {
  std::vector<std::string> parameters, setup, stores, declarations, pack_loads, pack_stores,
      element_loads, element_stores;
  bool writes_raw = false;
  for (const Operand& operand : call.operands) {
    const std::string& name = operand.parameter->name;
    const std::string& type = operand.c_type;
    const char* constant = operand.is_output ? "" : "const ";
    if (operand.scalar != nullptr) {
      parameters.push_back(fmt::format("const {} {}", type, name));
      continue;
    }
    if (operand.parameter->is_raw) {
      parameters.push_back(
          fmt::format("const {} {}", view_type(operand.array, constant + type), name));
      writes_raw = writes_raw || operand.is_output;
      continue;
    }
    parameters.push_back(fmt::format("{}{}* _p_{}", constant, type, name));
    std::string element;
    if (call.kind == LoopKind::kStrided)
      element = fmt::format("*kernelbatch::offset_pointer(_p_{}, _offset[{}])", name, operand.slot);
    else if (call.plan.strides[static_cast<std::size_t>(operand.slot)][0] == 0)
      element = fmt::format("_p_{}[0]", name);
    else
      element = fmt::format("_p_{}[_k]", name);

    const bool is_pack = call.kind == LoopKind::kPacked &&
                         call.plan.strides[static_cast<std::size_t>(operand.slot)][0] != 0;
    if (is_pack) {
      declarations.push_back(
          fmt::format("kernelbatch::pack<{}, {}> _pack_{};", type, call.pack, name));
      if (!operand.is_output || operand.is_preloaded) {
        pack_loads.push_back(fmt::format(
            "_pack_{0} = *reinterpret_cast<const kernelbatch::pack<{1}, {2}>*>(_p_{0} + _first);",
            name, type, call.pack));
        element_loads.push_back(fmt::format("_pack_{0}.value[_j] = _p_{0}[_first + _j];", name));
      }
      setup.push_back(operand.is_output
                          ? fmt::format("{}& {} = _pack_{}.value[_j];", type, name, name)
                          : fmt::format("const {} {} = _pack_{}.value[_j];", type, name, name));
      if (operand.is_output) {
        pack_stores.push_back(fmt::format(
            "*reinterpret_cast<kernelbatch::pack<{1}, {2}>*>(_p_{0} + _first) = _pack_{0};", name,
            type, call.pack));
        element_stores.push_back(fmt::format("_p_{0}[_first + _j] = _pack_{0}.value[_j];", name));
      }
    } else if (operand.is_output) {
      setup.push_back(operand.is_preloaded ? fmt::format("{} {} = {};", type, name, element)
                                           : fmt::format("{} {};", type, name));
      stores.push_back(fmt::format("{} = {};", element, name));
    } else {
      setup.push_back(fmt::format("const {} {} = {};", type, name, element));
    }
  }
  parameters.emplace_back("const long long _count");
  if (call.kind == LoopKind::kStrided) {
    parameters.push_back(fmt::format("const kernelbatch::layout<{}, {}, {}> _layout",
                                     call.index_type(), call.plan.rank(), call.looped.size()));
    for (int axis = 0; axis < call.plan.rank(); ++axis)
      if (mentions(operation_, fmt::format("i{}", axis)))
        setup.push_back(fmt::format("const long long i{0} = _at[{0}];", axis));
  }
  if (mentions(operation_, "_ind")) {
    if (call.kind != LoopKind::kStrided) setup.emplace_back("const _index _at[1] = {_k};");
    setup.push_back(fmt::format("const kernelbatch::indexer<_index, {}> _ind{{_count, _at}};",
                                call.kind == LoopKind::kStrided ? call.plan.rank() : 1));
  }

  std::string loop;
  switch (call.kind) {
    case LoopKind::kDense:
      loop = fill_template(source::elementwise_dense,
                           {{"independent", writes_raw ? "" : "KERNELBATCH_INDEPENDENT"},
                            {"setup", indent(setup, 4)},
                            {"operation", operation_},
                            {"stores", indent(stores, 4)}});
      break;
    case LoopKind::kPacked:
      loop = fill_template(source::elementwise_packed,
                           {{"pack", std::to_string(call.pack)},
                            {"declarations", indent(declarations, 4)},
                            {"pack_loads", indent(pack_loads, 6)},
                            {"element_loads", indent(element_loads, 10)},
                            {"setup", indent(setup, 8)},
                            {"operation", operation_},
                            {"pack_stores", indent(pack_stores, 6)},
                            {"element_stores", indent(element_stores, 10)}});
      break;
    case LoopKind::kStrided:
      loop =
          fill_template(source::elementwise_strided,
                        {{"arrays", std::to_string(std::max<std::size_t>(call.looped.size(), 1))},
                         {"rank", std::to_string(call.plan.rank())},
                         {"setup", indent(setup, 4)},
                         {"operation", operation_},
                         {"stores", indent(stores, 4)}});
      break;
  }
  return fill_template(source::elementwise,
                       {{"name", name_},
                        {"typedefs", typedefs_of(call.types)},
                        {"preamble", options_.preamble},
                        {"parameters", fmt::format("{}", fmt::join(parameters, ", "))},
                        {"index", call.index_type()},
                        {"index_bytes", call.is_wide ? "8" : "4"},
                        {"loop_prep", options_.loop_prep},
                        {"loop", loop},
                        {"after_loop", options_.after_loop}});
}

std::vector<Array> ElementwiseKernel::call(Stream& stream, std::span<const Argument> arguments,
                                           std::optional<std::int64_t> size) const {
  const Call call = prepare(stream, arguments, size);
  if (call.plan.count == 0) return call.outputs;

  const std::string key = call.key();
  auto found = programs_.find(key);
  if (found == programs_.end()) {
    KernelSource source{name_, generate(call), {name_}, options_.options, true, {}};
    found = programs_.emplace(key, Program(std::move(source))).first;
  }
  Kernel& kernel = found->second.kernel(stream.device(), name_);

  ArgumentBytes bytes;
  for (const Operand& operand : call.operands) {
    if (operand.scalar != nullptr) {
      const std::size_t at = static_cast<std::size_t>(&operand - call.operands.data());
      std::byte value[16];
      operand.scalar->write_scalar(call.types.in[at], value, operand.parameter->name);
      bytes.append(value, size_of(call.types.in[at]));
    } else if (operand.parameter->is_raw) {
      bytes.append_view(operand.array);
    } else {
      bytes.append_value(operand.array.data());
    }
  }
  bytes.append_value(call.plan.count);
  if (call.kind == LoopKind::kStrided) {
    StructBytes layout;
    const auto add = [&](std::int64_t value) {
      call.is_wide ? layout.append_value(value)
                   : layout.append_value(static_cast<std::int32_t>(value));
    };
    for (const std::int64_t extent : call.plan.extents) add(extent);
    for (const Strides& strides : call.plan.strides)
      for (const std::int64_t stride : strides) add(stride);
    if (call.looped.empty())
      for (int axis = 0; axis < call.plan.rank(); ++axis) add(0);
    const std::vector<std::byte> packed = layout.finish();
    bytes.append(packed.data(), packed.size());
  }

  const DeviceProperties& device = stream.device().properties();
  const int block = options_.block_size > 0 ? options_.block_size : device.loop_block;
  const std::int64_t units = (call.plan.count + call.pack - 1) / call.pack;
  const std::int64_t per_block = std::max(block, device.loop_grain);
  LaunchShape shape;
  shape.block.x = static_cast<std::uint32_t>(device.loop_block == 1 ? 1 : block);
  shape.grid.x = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>((units + per_block - 1) / per_block, 1, device.loop_blocks));
  const std::vector<void*> pointers = bytes.pointers();
  kernel.launch(shape, pointers, stream);
  return call.outputs;
}

}  // namespace kernelbatch
