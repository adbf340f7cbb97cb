// Numbers with units as written in jobs. All throw SpecError with the text and the expected form;
// none accepts text before or after the number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace kernelbatch {

/// `1000000`, `1_000_000`, `1e6`, `1.5e3`, `2^20`, `4Ki` (Ki Mi Gi Ti: 1024), `4k` (k M G T: 1000),
/// with an optional sign. Exact: a value that is not an integer, or does not fit in 64 bits, is an
/// error.
std::int64_t parse_integer(std::string_view text);
/// The same without throwing: std::nullopt if the text is not an integer.
std::optional<std::int64_t> try_parse_integer(std::string_view text) noexcept;

/// All forms of parse_integer(), and `0.5`, `1e-3`, `2^-3`, `inf`, `nan` (also `.inf`, `.nan`).
double parse_real(std::string_view text);
std::optional<double> try_parse_real(std::string_view text) noexcept;

/// A number of its written kind: with a point or an exponent, `inf` and `nan` are reals, everything
/// else is an integer, exact to 64 bits (unsigned if it does not fit signed).
using WrittenNumber = std::variant<std::int64_t, std::uint64_t, double>;

/// std::nullopt if the text is not a number. Throws SpecError for an integer that does not fit in
/// 64 bits.
std::optional<WrittenNumber> read_written_number(std::string_view text);

/// The same for signed integers only. Throws SpecError for unsigned ones too.
std::optional<std::variant<std::int64_t, double>> read_signed_number(std::string_view text);

/// A real as written in a job, the shortest text that reads back to the same real: `5.0`, `1e+20`,
/// `nan`.
std::string to_written_text(double value);

/// `true` or `false` (also `True`, `TRUE`, …).
bool parse_boolean(std::string_view text);
std::optional<bool> try_parse_boolean(std::string_view text) noexcept;

/// Seconds: `120`, `0.5s`, `2min`, `1h30min`, `100 us` (ns us ms s min h d), `00:30:00`,
/// `1-12:00:00`. Never negative.
double parse_seconds(std::string_view text);

/// A share: `0.5%` or `0.005`; from 0 to 1.
double parse_fraction(std::string_view text);

/// Bytes: `4096`, `2 GiB`, `4Ki`, `80GB` (KiB MiB GiB TiB: 1024; kB MB GB TB: 1000).
std::int64_t parse_bytes(std::string_view text);

}  // namespace kernelbatch
