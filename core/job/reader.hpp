// Strict reading of YAML nodes: every error states the place, the value found and the permitted
// values.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/choice.hpp"
#include "core/job/spec.hpp"
#include "core/job/yaml.hpp"

namespace kernelbatch {

/// `what` names the key in messages. All throw SpecError with the node's place.

/// A nonempty mapping with only `known` keys; reports all unknown keys.
void expect_mapping(const YamlNode& node, std::string_view what,
                    const std::vector<std::string>& known);
/// A nonempty mapping with any keys.
void expect_mapping(const YamlNode& node, std::string_view what);

Scalar read_scalar(const YamlNode& node, std::string_view what);
std::string read_text(const YamlNode& node, std::string_view what);
/// One of `choices`.
std::string read_choice(const YamlNode& node, std::string_view what,
                        const std::vector<std::string>& choices);
template <Choice E>
E read_choice(const YamlNode& node, std::string_view what) {
  return *parse_choice<E>(read_choice(node, what, names_of<E>()));
}
bool read_boolean(const YamlNode& node, std::string_view what);
/// An integer in [low, high].
int read_count(const YamlNode& node, std::string_view what, int low, int high);
double read_seconds(const YamlNode& node, std::string_view what);
double read_fraction(const YamlNode& node, std::string_view what);
/// A finite real that is not negative.
double read_magnitude(const YamlNode& node, std::string_view what);
/// A nonempty list, or one scalar.
std::vector<Scalar> read_scalars(const YamlNode& node, std::string_view what);
/// A scalar, or a list as its YAML text (see Scalar).
Scalar read_scalar_or_list(const YamlNode& node, std::string_view what);

/// Calls `body`, which throws SpecError without a place, and adds the place and the key.
void with_place(const SourcePlace& place, std::string_view what, const std::function<void()>& body);

}  // namespace kernelbatch
