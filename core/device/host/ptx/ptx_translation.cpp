#include "core/device/host/ptx/ptx_translation.hpp"

#include <stdexcept>

#include "core/base/text.hpp"
#include "core/device/host/ptx/ptx_writer.hpp"

namespace kernelbatch::host {
namespace {

class InlineWriter final : public PtxWriter {
 public:
  std::string text(const AsmStatement& statement) {
    enter_scope();
    std::string before = "unsigned long long __kernelbatch_carry = 0; ", after;
    for (std::size_t k = 0; k < statement.operands.size(); ++k) {
      const AsmOperand& operand = statement.operands[k];
      const std::string name = fmt::format("%{}", k);
      add(name, {.kind = PtxSymbol::Kind::kRegister, .cpp = cpp_name(name)});
      before += fmt::format(
          "unsigned long long {} = {}; ", cpp_name(name),
          operand.is_read ? fmt::format("__kernelbatch_ptx_read({})", operand.expression) : "0");
      if (operand.is_written)
        after +=
            fmt::format("__kernelbatch_ptx_write({}, {}); ", operand.expression, cpp_name(name));
    }
    enter_scope();
    // A block of its own: labels are declared first.
    return fmt::format("do {{ {}{{ {}}} {}}} while (0)", before, body(read_ptx(statement.code)),
                       after);
  }
};

}  // namespace

std::string translate_ptx(const AsmStatement& statement) {
  try {
    return InlineWriter().text(statement);
  } catch (const SpecError&) {
    throw UnsupportedError(fmt::format(
        "needs cuda: the PTX '{}' could not be read by the host device", trim(statement.code)));
  } catch (const std::out_of_range&) {
    throw UnsupportedError(fmt::format(
        "needs cuda: the PTX '{}' could not be read by the host device", trim(statement.code)));
  }
}

}  // namespace kernelbatch::host
