#include "core/kernel/text/signature.hpp"

#include <string>

#include "core/kernel/jit/source.hpp"
#include "core/kernel/program/diagnostic.hpp"
#include "core/kernel/raw/source.hpp"
#include "core/kernel/text/tokens.hpp"
#include "tests/fuzz/refused.hpp"

namespace kernelbatch::fuzz {

/// The first line is the entry as written in jobs; the source follows.
void signature(Bytes input) {
  std::string_view source = text_of(input);
  const std::string entry(take_line(source));
  is_refused([&] { find_parameters(source, entry); });
  is_refused([&] {
    for (const std::string& name : kernel_names(source)) {
      const auto found = find_parameters(source, name);
      if (!found) continue;
      for (const FormalParameter& parameter : *found) {
        parameter.bytes();
        parameter.takes(DType::kFloat32);
      }
    }
  });
  is_refused([&] { read_jit_source(std::string(source), entry, "fuzz.cuh"); });
  is_refused([&] {
    RawOptions options;
    options.translate_cucomplex = true;
    const RawSource raw = raw_source(source, {}, {}, options);
    // Compilers quote the text, so it serves as a log as well.
    readable_log(raw.source.text, raw.source);
  });
  is_refused([&] {
    is_statement_block(source);
    assigns_first(source, entry);
  });
}

}  // namespace kernelbatch::fuzz
