// What compiler options mean to both backends.
#pragma once

#include <span>
#include <string>

namespace kernelbatch {

/// Whether the options ask for relocatable device code, which dynamic parallelism needs:
/// -rdc=true, -dc, --device-c, --relocatable-device-code=true.
bool asks_for_relocatable_code(std::span<const std::string> options);

/// Whether the options name a language standard.
bool names_standard(std::span<const std::string> options);

/// Whether that standard has what the prelude is written in: C++17 or newer.
bool reads_prelude(std::span<const std::string> options);

/// Throws SpecError for an option that has the compiler read further ones from a file, which no
/// cache key and no record would have: `@file`, also behind another option, `--options-file`,
/// `-optf`.
void require_no_response_files(std::span<const std::string> options);

/// Throws SpecError for a word in which a shell would run a command: nvcc hands its own words to
/// one, between double quotes.
void require_no_substitution(std::span<const std::string> words);

}  // namespace kernelbatch
