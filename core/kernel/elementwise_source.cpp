#include "core/kernel/elementwise_source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/kernel/argument_bytes.hpp"
#include "core/kernel/code_template.hpp"
#include "core/kernel/tokens.hpp"
#include "kernel_embedded.hpp"

namespace kernelbatch {
namespace {

std::string indent(const std::vector<std::string>& lines, int columns) {
  std::string text;
  for (const std::string& line : lines)
    text += fmt::format("{}{:{}}{}", text.empty() ? "" : "\n", "", columns, line);
  return text;
}

}  // namespace

std::string elementwise_source(const ElementwiseDefinition& definition,
                               const ElementwiseLoop& loop) {
  std::vector<std::string> parameters, setup, stores, declarations, pack_loads, pack_stores,
      element_declarations, element_loads, element_stores;
  // A pack's elements go through a function of their own, so that the text stands there once.
  std::string element_parameters, pack_arguments, element_arguments;
  bool writes_raw = false;
  for (const Operand& operand : loop.operands) {
    const std::string& name = operand.name();
    const std::string type = operand.c_type();
    const bool is_preloaded = operand.is_output && definition.keeps_old_value(*operand.parameter);
    const char* constant = operand.is_output ? "" : "const ";
    if (operand.is_scalar()) {
      parameters.push_back(fmt::format("const {} {}", type, name));
      continue;
    }
    if (operand.parameter->is_raw) {
      parameters.push_back(
          fmt::format("const {} {}", view_type(operand.array(), constant + type), name));
      writes_raw = writes_raw || operand.is_output;
      continue;
    }
    parameters.push_back(fmt::format("{}{}* _p_{}", constant, type, name));
    std::string element;
    if (loop.kind == LoopKind::kStrided)
      element = fmt::format("*kernelbatch::offset_pointer(_p_{}, _offset[{}])", name, operand.slot);
    else if (loop.is_constant(operand))
      element = fmt::format("_p_{}[0]", name);
    else
      element = fmt::format("_p_{}[_k]", name);

    const bool is_pack = loop.kind == LoopKind::kPacked && !loop.is_constant(operand);
    if (is_pack) {
      declarations.push_back(
          fmt::format("kernelbatch::pack<{}, {}> _pack_{};", type, loop.pack, name));
      if (!operand.is_output || is_preloaded) {
        pack_loads.push_back(fmt::format(
            "_pack_{0} = *reinterpret_cast<const kernelbatch::pack<{1}, {2}>*>(_p_{0} + _first);",
            name, type, loop.pack));
        element_loads.push_back(fmt::format("_one_{0} = _p_{0}[_k];", name));
      }
      element_declarations.push_back(fmt::format("{} _one_{};", type, name));
      element_parameters += operand.is_output ? fmt::format(", {}& {}", type, name)
                                              : fmt::format(", const {} {}", type, name);
      pack_arguments += fmt::format(", _pack_{}.value[_j]", name);
      element_arguments += fmt::format(", _one_{}", name);
      if (operand.is_output) {
        pack_stores.push_back(fmt::format(
            "*reinterpret_cast<kernelbatch::pack<{1}, {2}>*>(_p_{0} + _first) = _pack_{0};", name,
            type, loop.pack));
        element_stores.push_back(fmt::format("_p_{0}[_k] = _one_{0};", name));
      }
    } else if (operand.is_output) {
      setup.push_back(is_preloaded ? fmt::format("{} {} = {};", type, name, element)
                                   : fmt::format("{} {};", type, name));
      stores.push_back(fmt::format("{} = {};", element, name));
    } else {
      setup.push_back(fmt::format("const {} {} = {};", type, name, element));
    }
  }
  parameters.emplace_back("const long long _count");
  if (loop.kind == LoopKind::kStrided) {
    parameters.push_back(fmt::format("const {} _layout", loop.layout().type()));
    for (int axis = 0; axis < loop.plan.rank(); ++axis)
      if (const std::string index = fmt::format("i{}", axis);
          mentions(definition.operation, index) && definition.names_axis(index))
        setup.push_back(fmt::format("const long long i{0} = _at[{0}];", axis));
  }
  if (mentions(definition.operation, "_ind")) {
    if (loop.kind != LoopKind::kStrided) setup.emplace_back("const _index _at[1] = {_k};");
    setup.push_back(fmt::format("const kernelbatch::indexer<_index, {}> _ind{{_count, _at}};",
                                loop.kind == LoopKind::kStrided ? loop.plan.rank() : 1));
  }

  std::string body;
  switch (loop.kind) {
    case LoopKind::kDense:
      body = fill_template(source::elementwise_dense,
                           {{"independent", writes_raw ? "" : "KERNELBATCH_INDEPENDENT"},
                            {"setup", indent(setup, 4)},
                            {"operation", definition.operation},
                            {"stores", indent(stores, 4)}});
      break;
    case LoopKind::kPacked:
      body = fill_template(source::elementwise_packed,
                           {{"pack", std::to_string(loop.pack)},
                            {"element_parameters", element_parameters},
                            {"setup", indent(setup, 4)},
                            {"operation", definition.operation},
                            {"declarations", indent(declarations, 4)},
                            {"pack_loads", indent(pack_loads, 4)},
                            {"pack_arguments", pack_arguments},
                            {"pack_stores", indent(pack_stores, 4)},
                            {"element_declarations", indent(element_declarations, 4)},
                            {"element_loads", indent(element_loads, 4)},
                            {"element_arguments", element_arguments},
                            {"element_stores", indent(element_stores, 4)}});
      break;
    case LoopKind::kStrided:
      body = fill_template(source::elementwise_strided,
                           {{"arrays", std::to_string(std::max<std::size_t>(loop.arrays(), 1))},
                            {"rank", std::to_string(loop.plan.rank())},
                            {"setup", indent(setup, 4)},
                            {"operation", definition.operation},
                            {"stores", indent(stores, 4)}});
      break;
  }
  return fill_template(
      source::elementwise,
      {{"name", definition.name},
       {"typedefs", typedefs_of(loop.types)},
       {"preamble", definition.options.preamble},
       {"layout", layout_definition(loop.kind == LoopKind::kStrided && loop.layout().is_divided())},
       {"parameters", fmt::format("{}", fmt::join(parameters, ", "))},
       {"index", loop.index_type()},
       {"index_bytes", loop.is_wide ? "8" : "4"},
       {"loop_prep", definition.options.loop_prep},
       {"loop", body},
       {"after_loop", definition.options.after_loop}});
}

}  // namespace kernelbatch
