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
  std::string name = {};  ///< empty if it has none
  bool is_type = true;
  bool has_default = false;
};

/// One declaration. Its tokens and positions refer to the parsed text.
struct KernelSignature {
  std::string_view name;
  std::vector<TemplateParameter> templates;
  std::vector<std::vector<Token>> parameters;  ///< the tokens of each; none for `(void)`
  std::size_t begin = 0;                       ///< position of the declaration's first word
  /// Position of the `>` of its `template <…>`.
  std::optional<std::size_t> head_end;
};

/// All declarations in the order of the text, except those created by macros.
std::vector<KernelSignature> kernel_signatures(const std::vector<Token>& tokens);

/// The parameters of the kernel named by `entry`: a function ("scale") or an instance of a template
/// ("fx3<float>", with its arguments substituted). Nothing if the text does not contain the
/// function, creates it by a macro, or declares it several times with different parameters.
std::optional<std::vector<FormalParameter>> find_parameters(std::string_view source,
                                                            std::string_view entry);

/// Names of all functions (not templates) that the text marks `__global__`, in order.
std::vector<std::string> kernel_names(std::string_view source);

}  // namespace kernelbatch
