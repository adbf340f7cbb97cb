#include "core/kernel/reduction.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/kernel/code_template.hpp"
#include "core/kernel/reduction_plan.hpp"
#include "core/kernel/tokens.hpp"
#include "core/kernel/type_solver.hpp"
#include "kernel_embedded.hpp"

namespace kernelbatch {
namespace {

/// A reduce type that only the compiler knows the size of is given this much room per partial
/// result.
constexpr std::size_t kLargestReduceType = 256;

struct Operand {
  const Parameter* parameter = nullptr;
  DType dtype = DType::kFloat64;
  Array array;  ///< empty for a scalar
  const Argument* scalar = nullptr;
  bool is_output = false;
  int slot = -1;  ///< among the arrays of the outer loop

  std::string c_type() const { return std::string(info(dtype).c_name); }
  bool is_looped() const { return scalar == nullptr && !parameter->is_raw; }
};

std::string lines(const std::vector<std::string>& list, std::string_view prefix) {
  std::string text;
  for (const std::string& line : list)
    text += fmt::format("{}{}{}", text.empty() ? "" : "\n", prefix, line);
  return text;
}

/// A function's body: an expression is returned, a block of statements returns by itself. The text
/// may end in a comment.
std::string body_of(const std::string& text, std::string_view type) {
  return is_statement_block(text) ? text : fmt::format("return static_cast<{}>({}\n);", type, text);
}

}  // namespace

struct ReductionKernel::Call {
  ResolvedTypes types;
  std::vector<Operand> operands;  ///< inputs, then outputs
  std::vector<Array> inputs;      ///< the non-raw input arrays, by slot
  std::vector<Array> outputs;
  ReductionLoops loops;
  ReductionSchedule schedule;
  std::string reduce_type;
  std::int64_t in_count = 0;
  bool counts_inputs = false;  ///< the map asks for `_j`
  bool is_wide = false;
  std::int64_t partials = 0, tickets = 0;  ///< addresses

  std::size_t looped_inputs() const { return inputs.size() + (counts_inputs ? 1 : 0); }
  const char* index_type() const { return is_wide ? "long long" : "int"; }
  /// How an input is walked along a single inner axis: dense, constant or strided.
  char walk(std::size_t slot) const {
    const std::int64_t stride = loops.inner.strides[slot][0];
    if (stride == 0) return '0';
    return stride == static_cast<std::int64_t>(size_of(inputs[slot].dtype())) ? 'd' : 's';
  }
  std::string key() const {
    const ReductionSchedule& s = schedule;
    std::string key = fmt::format("{} {} {} {} {} {} {} {} {} {}", s.lanes, s.workers, s.outputs,
                                  s.pack, s.streams, s.in_flight, s.outputs_fastest, is_wide,
                                  loops.outer.rank(), loops.inner.rank());
    for (const Operand& operand : operands) {
      key += fmt::format(" {}", name_of(operand.dtype));
      if (operand.scalar != nullptr)
        key += "=";
      else if (operand.parameter->is_raw)
        key +=
            fmt::format("[{}{}]", operand.array.axes(), operand.array.is_contiguous() ? "c" : "");
      else if (!operand.is_output && loops.inner.rank() == 1)
        key += walk(static_cast<std::size_t>(operand.slot));
    }
    return key;
  }
};

ReductionKernel::ReductionKernel(std::string_view in_params, std::string_view out_params,
                                 std::string_view map, std::string_view reduce,
                                 std::string_view post_map, std::optional<std::string> identity,
                                 std::string_view name, ReductionOptions options)
    : in_(parse_parameters(in_params, "in_params")),
      out_(parse_parameters(out_params, "out_params")),
      map_(map),
      reduce_(reduce),
      post_map_(post_map),
      identity_(std::move(identity)),
      name_(name),
      options_(std::move(options)) {
  require_kernel_name(name_);
  require_distinct(in_, out_);
  if (out_.empty()) throw SpecError(fmt::format("reduction '{}' has no output", name_));
  if (identity_ && identity_->empty()) identity_.reset();
}

ReductionKernel::Call ReductionKernel::prepare(Stream& stream, std::span<const Argument> arguments,
                                               const ReductionCall& how) const {
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
  call.reduce_type = options_.reduce_type.empty() ? std::string(info(call.types.out[0]).c_name)
                                                  : options_.reduce_type;

  std::vector<Shape> shapes;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const bool is_output = k >= in_.size();
    const Parameter& parameter = is_output ? out_[k - in_.size()] : in_[k];
    if (!arguments[k].is_array()) {
      if (parameter.is_raw)
        throw SpecError(
            fmt::format("raw parameter '{}' of '{}' must be an array", parameter.name, name_));
      continue;
    }
    if (arguments[k].array().device() != &stream.device())
      throw SpecError(fmt::format("argument '{}' of '{}' is not on the stream's device",
                                  parameter.name, name_));
    if (!parameter.is_raw && !is_output) shapes.push_back(arguments[k].array().shape());
  }
  if (shapes.empty())
    throw SpecError(
        fmt::format("'{}': no input array that is not raw decides what to reduce", name_));
  const Shape shape = broadcast_shapes(shapes);
  const std::vector<int> axes = normalise_axes(how.axes.value_or(std::vector<int>{}),
                                               !how.axes.has_value(), shape.count(), name_);

  for (std::size_t k = 0; k < in_.size(); ++k) {
    Operand operand;
    operand.parameter = &in_[k];
    operand.dtype = call.types.in[k];
    if (in_arguments[k].is_array())
      operand.array = in_arguments[k].array();
    else
      operand.scalar = &in_arguments[k];
    if (operand.is_looped()) {
      operand.slot = static_cast<int>(call.inputs.size());
      call.inputs.push_back(operand.array);
    }
    call.operands.push_back(std::move(operand));
  }
  std::vector<Array> walked = call.inputs;
  call.counts_inputs = mentions(map_, "_j");
  // The linear index of an element is the offset in an imaginary array of bytes.
  if (call.counts_inputs) walked.push_back(Array::of_memory(nullptr, DType::kInt8, shape));
  call.loops = plan_reduction(walked, shape, axes, how.keepdims);
  call.in_count = element_count(shape);

  for (std::size_t k = 0; k < out_.size(); ++k) {
    Operand operand;
    operand.parameter = &out_[k];
    operand.dtype = call.types.out[k];
    operand.is_output = true;
    if (outputs_given) {
      operand.array = out_arguments[k].array();
      if (!out_[k].is_raw && !(operand.array.shape() == call.loops.out_shape))
        throw SpecError(fmt::format("output '{}' of '{}' has shape {}, the reduction gives {}",
                                    out_[k].name, name_, to_text(operand.array.shape()),
                                    to_text(call.loops.out_shape)));
    } else {
      if (out_[k].is_raw)
        throw SpecError(fmt::format("raw output '{}' of '{}' must be given", out_[k].name, name_));
      operand.array = Array::on_device(stream.device(), operand.dtype, call.loops.out_shape);
    }
    call.outputs.push_back(operand.array);
    if (operand.is_looped()) {
      operand.slot = static_cast<int>(call.loops.outer.strides.size());
      add_output(call.loops, operand.array, shape, axes, how.keepdims);
      for (const Operand& in : call.operands)
        if (in.is_looped() && !in.is_output && call.loops.outer.count > 0)
          require_no_overlap(in.array, operand.array, in.parameter->name, out_[k].name);
      require_own_elements(operand.array, out_[k].name);
    }
    call.operands.push_back(std::move(operand));
  }
  finish_outer(call.loops);
  call.schedule = schedule_reduction(call.loops, call.inputs, stream.device().properties());
  call.is_wide = call.loops.outer.is_wide() || call.loops.inner.is_wide();
  return call;
}

std::string ReductionKernel::generate(const Call& call, std::size_t argument_bytes) const {
  const int inner_rank = call.loops.inner.rank();
  std::vector<std::string> members, row_members, row_setup, map_setup, post_setup, post_stores;
  std::vector<std::string> packs;
  std::string map_parameters, values, pack_values;
  for (const Operand& operand : call.operands) {
    const std::string& name = operand.parameter->name;
    const std::string type = operand.c_type();
    if (operand.scalar != nullptr) {
      members.push_back(fmt::format("{} _s_{};", type, name));
      for (auto* setup : {&map_setup, &post_setup})
        setup->push_back(fmt::format("const {0} {1} = _a._s_{1}; (void){1};", type, name));
      continue;
    }
    if (operand.parameter->is_raw) {
      members.push_back(fmt::format(
          "{} _v_{};", view_type(operand.array, (operand.is_output ? "" : "const ") + type), name));
      if (!operand.is_output)
        map_setup.push_back(fmt::format("const auto& {0} = _a._v_{0}; (void){0};", name));
      post_setup.push_back(fmt::format("const auto& {0} = _a._v_{0}; (void){0};", name));
      continue;
    }
    members.push_back(fmt::format("{}{}* _p_{};", operand.is_output ? "" : "const ", type, name));
    if (operand.is_output) {
      post_setup.push_back(fmt::format("{} {};", type, name));
      post_stores.push_back(fmt::format(
          "*kernelbatch::offset_pointer(_a._p_{0}, _offset[{1}]) = {0};", name, operand.slot));
      continue;
    }
    row_members.push_back(fmt::format("const {}* _p_{};", type, name));
    row_setup.push_back(fmt::format(
        "_r._p_{0} = kernelbatch::offset_pointer(_a._p_{0}, _offset[{1}]);", name, operand.slot));
    map_parameters += fmt::format(", const {} {}", type, name);
    const char walk = inner_rank == 1 ? call.walk(static_cast<std::size_t>(operand.slot)) : 'm';
    switch (walk) {
      case 'd':
        values += fmt::format(", _r._p_{}[_J]", name);
        break;
      case '0':
        values += fmt::format(", _r._p_{}[0]", name);
        break;
      case 's':
        values +=
            fmt::format(", *kernelbatch::offset_pointer(_r._p_{}, _J * _a._inner.stride[{}][0])",
                        name, operand.slot);
        break;
      default:
        values += fmt::format(", *kernelbatch::offset_pointer(_r._p_{}, _offset[{}])", name,
                              operand.slot);
    }
    if (walk == 'd') {
      packs.push_back(
          fmt::format("const kernelbatch::pack<{1}, _pack> _pack_{0} = "
                      "*reinterpret_cast<const kernelbatch::pack<{1}, _pack>*>(_r._p_{0} + _J);",
                      name, type));
      pack_values += fmt::format(", _pack_{}.value[_w]", name);
    } else {
      pack_values += fmt::format(", _r._p_{}[0]", name);
    }
  }
  std::vector<std::string> scalar_load;
  if (inner_rank > 1 || call.counts_inputs) {
    scalar_load.push_back(fmt::format("_index _offset[{}];", call.looped_inputs()));
    scalar_load.push_back(fmt::format("_index _at[{}];", inner_rank));
    scalar_load.emplace_back("_a._inner.locate(static_cast<_index>(_J), _offset, _at);");
  }
  if (call.counts_inputs) {
    row_members.emplace_back("long long _first_input;");
    row_setup.push_back(fmt::format("_r._first_input = _offset[{}];", call.inputs.size()));
    map_parameters += ", const long long _j";
    values += fmt::format(", _r._first_input + _offset[{}]", call.inputs.size());
  }
  scalar_load.push_back(fmt::format("return _map(_a, _r, _J{});", values));
  std::vector<std::string> pack_load;
  if (call.schedule.pack > 1 && !call.counts_inputs) {
    pack_load = packs;
    pack_load.emplace_back("KERNELBATCH_UNROLL");
    pack_load.emplace_back("for (int _w = 0; _w < _pack; ++_w)");
    pack_load.push_back(fmt::format("  _value[_w] = _map(_a, _r, _J + _w{});", pack_values));
  } else {
    pack_load.emplace_back("for (int _w = 0; _w < _pack; ++_w) _value[_w] = at(_J + _w);");
  }

  const ReductionSchedule& s = call.schedule;
  const std::size_t outer_arrays = call.loops.outer.strides.size();
  const auto number = [](auto value) { return std::to_string(value); };
  return fill_template(
      source::reduction,
      {{"name", name_},
       {"typedefs", typedefs_of(call.types)},
       {"preamble", options_.preamble},
       {"reduce_type", call.reduce_type},
       {"index", call.index_type()},
       {"lanes", number(s.lanes)},
       {"workers", number(s.workers)},
       {"outputs", number(s.outputs)},
       {"outputs_fastest", s.outputs_fastest ? "true" : "false"},
       {"pack", number(s.pack)},
       {"streams", number(s.streams)},
       {"in_flight", number(s.in_flight)},
       {"has_identity", identity_ ? "true" : "false"},
       {"members", lines(members, "  ")},
       {"outer_rank", number(call.loops.outer.rank())},
       {"outer_arrays", number(outer_arrays)},
       {"outer_arrays_or_one", number(std::max<std::size_t>(outer_arrays, 1))},
       {"inner_rank", number(inner_rank)},
       {"inner_arrays", number(call.looped_inputs())},
       {"argument_bytes", number(argument_bytes)},
       {"row_members", lines(row_members, "  ")},
       {"row_setup", lines(row_setup, "  ")},
       {"map_parameters", map_parameters},
       {"map_setup", lines(map_setup, "  ")},
       {"map", body_of(map_, "_type_reduce")},
       {"reduce", body_of(reduce_, "_type_reduce")},
       {"apply_identity", identity_
                              ? fmt::format("  const _type_reduce _identity = _type_reduce({});\n"
                                            "  a = _any ? _reduce(_identity, a) : _identity;",
                                            *identity_)
                              : ""},
       {"post_setup", lines(post_setup, "  ")},
       {"post_map", post_map_},
       {"post_stores", lines(post_stores, "  ")},
       {"scalar_load", lines(scalar_load, "    ")},
       {"pack_load", lines(pack_load, "    ")}});
}

std::vector<std::byte> ReductionKernel::pack(const Call& call) const {
  StructBytes bytes;
  for (std::size_t k = 0; k < call.operands.size(); ++k) {
    const Operand& operand = call.operands[k];
    if (operand.scalar != nullptr) {
      std::byte value[16];
      operand.scalar->write_scalar(operand.dtype, value, operand.parameter->name);
      bytes.append(value, size_of(operand.dtype), info(operand.dtype).alignment);
    } else if (operand.parameter->is_raw) {
      for (const std::int64_t word : view_words(operand.array)) bytes.append_value(word);
    } else {
      bytes.append_value(operand.array.data());
    }
  }
  for (const std::int64_t value :
       {call.in_count, call.loops.outer.count, call.loops.inner.count, call.schedule.splits,
        call.schedule.split_count, call.partials, call.tickets})
    bytes.append_value(value);
  const auto add = [&](std::int64_t value) {
    call.is_wide ? bytes.append_value(value) : bytes.append_value(static_cast<std::int32_t>(value));
  };
  for (const LoopPlan* loop : {&call.loops.outer, &call.loops.inner}) {
    for (const std::int64_t extent : loop->extents) add(extent);
    for (const Strides& strides : loop->strides)
      for (const std::int64_t stride : strides) add(stride);
  }
  return bytes.finish();
}

void ReductionKernel::prepare_workspace(Stream& stream, Call& call) const {
  if (call.schedule.splits == 1) return;
  const std::size_t each =
      options_.reduce_type.empty() ? size_of(call.types.out[0]) : kLargestReduceType;
  const std::int64_t partials =
      call.loops.outer.count * call.schedule.splits * static_cast<std::int64_t>(each);
  const std::int64_t tickets =
      (call.loops.outer.count + call.schedule.outputs - 1) / call.schedule.outputs;
  Workspace& workspace = workspaces_[&stream];
  if (workspace.partials.size() < partials)
    workspace.partials = Array::on_device(stream.device(), DType::kInt8, {partials});
  if (workspace.tickets.size() < tickets) {
    workspace.tickets = Array::on_device(stream.device(), DType::kUInt32, {tickets});
    stream.device().fill(workspace.tickets.data(), 0, workspace.tickets.bytes(), stream);
  }
  call.partials = reinterpret_cast<std::int64_t>(workspace.partials.data());
  call.tickets = reinterpret_cast<std::int64_t>(workspace.tickets.data());
}

std::vector<Array> ReductionKernel::call(Stream& stream, std::span<const Argument> arguments,
                                         const ReductionCall& how) const {
  Call call = prepare(stream, arguments, how);
  if (call.loops.outer.count == 0) return call.outputs;
  if (call.loops.inner.count == 0 && !identity_)
    throw SpecError(fmt::format("zero-size array to reduction '{}', which has no identity", name_));
  prepare_workspace(stream, call);
  std::vector<std::byte> bytes = pack(call);

  const std::string key = call.key();
  auto found = programs_.find(key);
  if (found == programs_.end()) {
    KernelSource source{name_, generate(call, bytes.size()), {name_}, options_.options, true, {}};
    if (!options_.reduce_type.empty())
      source.text += fmt::format(
          "\nstatic_assert(sizeof(_type_reduce) <= {}, \"reduce_type may have at most {} "
          "bytes\");\n",
          kLargestReduceType, kLargestReduceType);
    found = programs_.emplace(key, Program(std::move(source))).first;
  }
  Kernel& kernel = found->second.kernel(stream.device(), name_);
  LaunchShape shape;
  shape.grid.x = static_cast<std::uint32_t>(call.schedule.blocks);
  shape.block.x = static_cast<std::uint32_t>(call.schedule.threads());
  void* const pointers[] = {bytes.data()};
  kernel.launch(shape, pointers, stream);
  return call.outputs;
}

}  // namespace kernelbatch
