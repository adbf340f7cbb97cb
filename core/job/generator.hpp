// Generators of parameter values: a mapping instead of a list.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/job/keys/key.hpp"
#include "core/job/spec.hpp"
#include "core/job/yaml.hpp"

namespace kernelbatch {

/// The kinds of generators.
std::span<const Key> generator_keys();

/// The values of a generator, in order, as text that keeps integers exact:
///
///   {range: [lo, hi, step]}      lo, lo + step, … up to hi, including hi if it is reached; step
///                                (default 1) may be negative, then hi <= lo
///   {linspace: [lo, hi, count]}  count values evenly spaced, both ends included
///   {logspace: [lo, hi, count]}  count values from lo to hi (the values, not their exponents) with
///                                equal ratios, both ends included; if lo and hi are written as
///                                integers, each is rounded to an integer and repeats are dropped
///   {pow2: [lo, hi, step]}       2^lo, 2^(lo + step), … up to 2^hi; step (default 1) > 0
///
/// Integers stay integers; reals are rounded to 15 digits, so that 0.1 + 2 * 0.1 reads 0.3.
/// `parameter` is its name in messages. Throws SpecError with a place.
std::vector<Scalar> expand_generator(const YamlNode& mapping, std::string_view parameter);

}  // namespace kernelbatch
