// The functions that a source marks `__global__`: names, template parameters, parameters.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/text/formal_parameter.hpp"
#include "core/kernel/text/tokens.hpp"

namespace kernelbatch {

struct TemplateParameter {
  std::string name = {};  ///< empty where it has none
  bool is_type = true;
  bool has_default = false;
};

/// One declaration. Its tokens and positions are those of the text that was read.
struct KernelSignature {
  std::string_view name;
  std::vector<TemplateParameter> templates;
  std::vector<std::vector<Token>> parameters;  ///< the tokens of each; none for `(void)`
  std::size_t begin = 0;                       ///< where the declaration's first word is
  /// Where the `>` of its `template <…>` is.
  std::optional<std::size_t> head_end;
};

/// All declarations in the order of the text, but for those that macros make.
std::vector<KernelSignature> kernel_signatures(const std::vector<Token>& tokens);

/// The parameters of the kernel that `entry` names: a function ("scale") or an instance of a
/// template ("fx3<float>", whose arguments are put in). Nothing where the text does not have the
/// function, makes it by a macro, or has it several times with different parameters.
std::optional<std::vector<FormalParameter>> find_parameters(std::string_view source,
                                                            std::string_view entry);

/// Names of all functions, templates left out, that the text marks `__global__`, in order.
std::vector<std::string> kernel_names(std::string_view source);

}  // namespace kernelbatch
