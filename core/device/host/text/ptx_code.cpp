#include "core/device/host/text/ptx_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace kernelbatch::host {
namespace {

bool is_name_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

/// Removes comments and replaces "%%" by the "%" that the assembler sees.
std::string plain(std::string_view code) {
  std::string result;
  for (std::size_t k = 0; k < code.size(); ++k) {
    if (code.substr(k, 2) == "//") {
      k = std::min(code.find('\n', k), code.size() - 1);
    } else if (code.substr(k, 2) == "/*") {
      const std::size_t end = code.find("*/", k + 2);
      k = end == std::string_view::npos ? code.size() : end + 1;
    } else {
      if (code.substr(k, 2) == "%%") ++k;
      result += code[k];
    }
  }
  return result;
}

class InstructionReader {
 public:
  explicit InstructionReader(std::string_view text) : all_(text), rest_(text) {}

  PtxInstruction read() {
    PtxInstruction instruction;
    if (take('@')) {
      instruction.is_guard_negated = take('!');
      instruction.guard = name();
    }
    skip();
    const std::size_t end = std::min(rest_.find_first_of(" \t\n"), rest_.size());
    instruction.opcode = rest_.substr(0, end);
    rest_.remove_prefix(end);
    for (std::size_t at = 0; at <= instruction.opcode.size();) {
      const std::size_t dot = std::min(instruction.opcode.find('.', at), instruction.opcode.size());
      instruction.parts.push_back(instruction.opcode.substr(at, dot - at));
      at = dot + 1;
    }
    skip();
    while (!rest_.empty()) {
      instruction.operands.push_back(operand());
      if (take('|')) {
        instruction.has_second_result = true;
        instruction.operands.push_back(operand());
      }
      if (!take(',') && !rest_.empty()) fail();
    }
    return instruction;
  }

 private:
  [[noreturn]] void fail() const {
    throw UnsupportedError(
        fmt::format("needs cuda: the PTX '{}' could not be read by the host device", trim(all_)));
  }
  void skip() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n\r"), rest_.size())); }
  bool take(char wanted) {
    skip();
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(1);
    skip();
    return true;
  }
  std::string name() {
    skip();
    std::size_t end = 0;
    while (end < rest_.size() &&
           (is_name_letter(rest_[end]) || (rest_[end] == '.' && rest_.starts_with('%'))))
      ++end;
    if (end == 0) fail();
    std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end);
    skip();
    return text;
  }
  std::string number() {
    std::size_t end = rest_.starts_with('-') || rest_.starts_with('+') ? 1 : 0;
    while (end < rest_.size() &&
           (std::isalnum(static_cast<unsigned char>(rest_[end])) != 0 || rest_[end] == '.' ||
            ((rest_[end] == '-' || rest_[end] == '+') && (rest_[end - 1] | 0x20) == 'e' &&
             !rest_.starts_with("0x"))))
      ++end;
    std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return text;
  }
  long long offset() {
    const std::string text = number();
    long long value = 0;
    const bool is_hex = text.starts_with("0x");
    const char* const begin = text.data() + (is_hex ? 2 : text.starts_with('+') ? 1 : 0);
    std::from_chars(begin, text.data() + text.size(), value, is_hex ? 16 : 10);
    return value;
  }

  PtxOperand operand() {
    skip();
    PtxOperand result;
    if (take('{')) {
      result.kind = PtxOperand::Kind::kVector;
      do result.elements.push_back(operand());
      while (take(','));
      if (!take('}')) fail();
      return result;
    }
    if (take('[')) {
      result.kind = PtxOperand::Kind::kAddress;
      result.text = name();
      if (take('+')) {
        if (rest_.starts_with('%')) fail();
        result.offset = offset();
      } else if (rest_.starts_with('-')) {
        result.offset = offset();
      }
      if (!take(']')) fail();
      return result;
    }
    result.is_negated = take('!');
    if (rest_.empty()) fail();
    const char c = rest_.front();
    if (c == '-' || std::isdigit(static_cast<unsigned char>(c)) != 0) {
      result.kind = PtxOperand::Kind::kNumber;
      result.text = number();
    } else {
      result.text = name();
      if (result.text == "_") result.kind = PtxOperand::Kind::kNone;
    }
    return result;
  }

  std::string_view all_, rest_;
};

/// `.reg .b32 a, b<3>;`
void read_registers(std::string_view text, std::vector<PtxRegister>& registers) {
  text = trim(text.substr(std::string_view(".reg").size()));
  const std::size_t end = std::min(text.find_first_of(" \t\n"), text.size());
  const std::string type(text.substr(text.starts_with('.') ? 1 : 0, end - 1));
  for (const std::string& each : split(text.substr(end), ',')) {
    std::string_view name = trim(each);
    const std::size_t open = name.find('<');
    if (open == std::string_view::npos) {
      registers.push_back({std::string(name), type});
      continue;
    }
    int count = 0;
    std::from_chars(name.data() + open + 1, name.data() + name.size(), count);
    for (int k = 0; k < count; ++k)
      registers.push_back({fmt::format("{}{}", name.substr(0, open), k), type});
  }
}

}  // namespace

bool PtxInstruction::has(std::string_view part) const {
  return std::ranges::find(parts, part) != parts.end();
}

PtxCode read_ptx(std::string_view text) {
  PtxCode code;
  std::string rest = plain(text);
  // Blocks only limit the scope of registers and labels.
  int depth = 0;
  std::string statement;
  const auto finish = [&] {
    const std::string_view one = trim(statement);
    if (one.starts_with(".reg "))
      read_registers(one, code.registers);
    else if (!one.empty())
      code.instructions.push_back(InstructionReader(one).read());
    statement.clear();
  };
  for (const char c : rest) {
    const bool begins = trim(statement).empty();
    if (c == ';') {
      finish();
    } else if (c == '{' && begins) {
      ++depth;
    } else if (c == '}' && begins && depth > 0) {
      --depth;
    } else if (c == ':' && statement.find('.') == std::string::npos &&
               statement.find_first_of(" \t") == std::string::npos && !begins) {
      PtxInstruction& label = code.instructions.emplace_back();
      label.opcode = std::string(trim(statement)) + ":";
      statement.clear();
    } else if (!begins || std::isspace(static_cast<unsigned char>(c)) == 0) {
      statement += c;
    }
  }
  finish();
  return code;
}

}  // namespace kernelbatch::host
