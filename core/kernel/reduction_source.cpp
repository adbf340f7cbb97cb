#include "core/kernel/reduction_source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/kernel/argument_bytes.hpp"
#include "core/kernel/code_template.hpp"
#include "core/kernel/layout_argument.hpp"
#include "core/kernel/tokens.hpp"
#include "kernel_embedded.hpp"

namespace kernelbatch {
namespace {

std::string lines(const std::vector<std::string>& list, std::string_view prefix) {
  std::string text;
  for (const std::string& line : list)
    text += fmt::format("{}{}{}", text.empty() ? "" : "\n", prefix, line);
  return text;
}

/// A function's body: an expression is returned, a block of statements returns by itself. The text
/// may end in a comment; it begins a line, so that columns in errors are the user's.
std::string body_of(const std::string& text, std::string_view type, std::string_view name) {
  if (is_statement_block(text)) return text;
  return fmt::format("return static_cast<{}>(\n#line 1 \"{}\"\n{}\n);", type, name, text);
}

}  // namespace

std::string reduction_source(const ReductionDefinition& definition, const ReductionPass& pass,
                             std::size_t argument_bytes) {
  const std::string reduce_type = definition.options.reduce_type.empty()
                                      ? std::string(info(pass.types.out[0]).c_name)
                                      : definition.options.reduce_type;
  const int inner_rank = pass.loops.inner.rank();
  std::vector<std::string> members, row_members, row_setup, map_setup, post_setup, post_stores;
  std::vector<std::string> packs;
  std::string map_parameters, values, pack_values;
  for (const Operand& operand : pass.operands) {
    const std::string& name = operand.name();
    const std::string type = operand.c_type();
    if (operand.is_scalar()) {
      members.push_back(fmt::format("{} _s_{};", type, name));
      for (auto* setup : {&map_setup, &post_setup})
        setup->push_back(fmt::format("const {0} {1} = _a._s_{1}; (void){1};", type, name));
      continue;
    }
    if (operand.parameter->is_raw) {
      members.push_back(fmt::format(
          "{} _v_{};", view_type(operand.array(), (operand.is_output ? "" : "const ") + type),
          name));
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
    const char walk = inner_rank == 1 ? pass.walk(static_cast<std::size_t>(operand.slot)) : 'm';
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
  if (inner_rank > 1 || pass.counts_inputs) {
    scalar_load.push_back(fmt::format("_index _offset[{}];", pass.looped_inputs()));
    scalar_load.push_back(fmt::format("_index _at[{}];", inner_rank));
    scalar_load.emplace_back("_a._inner.locate(static_cast<_index>(_J), _offset, _at);");
  }
  if (pass.counts_inputs) {
    row_members.emplace_back("long long _first_input;");
    row_setup.push_back(fmt::format("_r._first_input = _offset[{}];", pass.inputs.size()));
    map_parameters += ", const long long _j";
    values += fmt::format(", _r._first_input + _offset[{}]", pass.inputs.size());
  }
  scalar_load.push_back(fmt::format("return _map(_a, _r, _J{});", values));
  std::vector<std::string> pack_load;
  if (pass.schedule.pack > 1 && !pass.counts_inputs) {
    pack_load = packs;
    pack_load.emplace_back("KERNELBATCH_UNROLL");
    pack_load.emplace_back("for (int _w = 0; _w < _pack; ++_w)");
    pack_load.push_back(fmt::format("  _value[_w] = _map(_a, _r, _J + _w{});", pack_values));
  } else {
    pack_load.emplace_back("for (int _w = 0; _w < _pack; ++_w) _value[_w] = at(_J + _w);");
  }

  const ReductionSchedule& s = pass.schedule;
  const std::size_t outer_arrays = pass.loops.outer.strides.size();
  const LayoutArgument outer(pass.loops.outer, pass.is_wide);
  const LayoutArgument inner(pass.loops.inner, pass.is_wide);
  const auto number = [](auto value) { return std::to_string(value); };
  std::string text = fill_template(
      source::reduction,
      {{"name", definition.name},
       {"typedefs", typedefs_of(pass.types)},
       {"preamble", definition.options.preamble},
       {"reduce_type", reduce_type},
       {"index", pass.index_type()},
       {"lanes", number(s.lanes)},
       {"workers", number(s.workers)},
       {"outputs", number(s.outputs)},
       {"outputs_fastest", s.outputs_fastest ? "true" : "false"},
       {"pack", number(s.pack)},
       {"streams", number(s.streams)},
       {"in_flight", number(s.in_flight)},
       {"has_identity", definition.identity ? "true" : "false"},
       {"members", lines(members, "  ")},
       {"outer_rank", number(pass.loops.outer.rank())},
       {"outer_arrays_or_one", number(std::max<std::size_t>(outer_arrays, 1))},
       {"layout", layout_definition(outer.is_divided() || inner.is_divided())},
       {"outer_layout", outer.type()},
       {"inner_layout", inner.type()},
       {"argument_bytes", number(argument_bytes)},
       {"row_members", lines(row_members, "  ")},
       {"row_setup", lines(row_setup, "  ")},
       {"map_parameters", map_parameters},
       {"map_setup", lines(map_setup, "  ")},
       {"map", body_of(definition.map, "_type_reduce", "map")},
       {"reduce", body_of(definition.reduce, "_type_reduce", "reduce")},
       {"apply_identity", definition.identity
                              ? fmt::format("  const _type_reduce _identity = _type_reduce(\n"
                                            "#line 1 \"identity\"\n{}\n);\n"
                                            "#line 1 \"generated\"\n"
                                            "  a = _any ? _reduce(_identity, a) : _identity;",
                                            *definition.identity)
                              : ""},
       {"post_setup", lines(post_setup, "  ")},
       {"post_map", definition.post_map},
       {"post_stores", lines(post_stores, "  ")},
       {"scalar_load", lines(scalar_load, "    ")},
       {"pack_load", lines(pack_load, "    ")}});
  if (!definition.options.reduce_type.empty())
    text += fmt::format(
        "\nstatic_assert(sizeof(_type_reduce) <= {}, \"reduce_type may have at most {} "
        "bytes\");\n",
        kLargestReduceType, kLargestReduceType);
  return text;
}

}  // namespace kernelbatch
