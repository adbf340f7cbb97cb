// Reading values of fields from YAML and writing them, by type.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/job/keys/key.hpp"
#include "core/job/spec.hpp"

namespace kernelbatch {

YamlNode scalar_node(std::string_view text);
/// A scalar as written; a list kept as text becomes a list again. Null if the text is empty and not
/// quoted.
YamlNode scalar_node(const Scalar& scalar);
YamlNode list_node(const std::vector<Scalar>& scalars);

/// `read` throws SpecError with the node's place; `write` returns a null node for a missing value.
template <class T>
struct ValueOf;

#define KERNELBATCH_VALUE_OF(...)                                    \
  template <>                                                        \
  struct ValueOf<__VA_ARGS__> {                                      \
    static __VA_ARGS__ read(const YamlNode& node, const Key& key);   \
    static YamlNode write(const __VA_ARGS__& value, const Key& key); \
  }
KERNELBATCH_VALUE_OF(bool);
KERNELBATCH_VALUE_OF(int);
KERNELBATCH_VALUE_OF(double);
KERNELBATCH_VALUE_OF(std::string);
KERNELBATCH_VALUE_OF(Scalar);
KERNELBATCH_VALUE_OF(std::vector<Scalar>);
KERNELBATCH_VALUE_OF(TuneBudget);
KERNELBATCH_VALUE_OF(ToleranceSpec);
KERNELBATCH_VALUE_OF(std::vector<std::pair<std::string, ToleranceSpec>>);
#undef KERNELBATCH_VALUE_OF

}  // namespace kernelbatch
