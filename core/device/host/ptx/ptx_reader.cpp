#include "core/device/host/ptx/ptx_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "core/base/error.hpp"

namespace kernelbatch::host {
namespace {

bool is_digit_of_ptx(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_name_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

}  // namespace

void PtxReader::skip() {
  while (at_ < text_.size()) {
    if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0)
      ++at_;
    else if (text_.substr(at_, 2) == "//")
      at_ = std::min(text_.find('\n', at_), text_.size());
    else if (text_.substr(at_, 2) == "/*")
      at_ = std::min(text_.find("*/", at_ + 2), text_.size() - 2) + 2;
    else
      return;
  }
}

bool PtxReader::at_end() {
  skip();
  return at_ >= text_.size();
}

int PtxReader::line() {
  skip();
  for (; counted_to_ < at_; ++counted_to_)
    if (text_[counted_to_] == '\n') ++line_;
  return line_;
}

char PtxReader::peek() { return at_end() ? '\0' : text_[at_]; }

bool PtxReader::take(char wanted) {
  if (peek() != wanted) return false;
  ++at_;
  return true;
}

bool PtxReader::take_word(std::string_view wanted) {
  skip();
  if (!text_.substr(at_).starts_with(wanted)) return false;
  const std::size_t end = at_ + wanted.size();
  if (end < text_.size() && is_name_letter(text_[end])) return false;
  at_ = end;
  return true;
}

void PtxReader::expect(char wanted) {
  if (!take(wanted)) fail(fmt::format("expected '{}'", wanted));
}

std::string PtxReader::name() {
  skip();
  const std::size_t begin = at_;
  while (at_ < text_.size() &&
         (is_name_letter(text_[at_]) || (text_[at_] == '.' && text_[begin] == '%')))
    ++at_;
  if (at_ == begin) fail("expected a name");
  return std::string(text_.substr(begin, at_ - begin));
}

std::string PtxReader::until(std::string_view ends) {
  skip();
  const std::size_t begin = at_;
  while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) == 0 &&
         ends.find(text_[at_]) == std::string_view::npos)
    ++at_;
  return std::string(text_.substr(begin, at_ - begin));
}

std::string PtxReader::rest_of_line() {
  const std::size_t end = std::min(text_.find('\n', at_), text_.size());
  std::string rest(text_.substr(at_, end - at_));
  at_ = end;
  return rest;
}

void PtxReader::skip_braces() {
  expect('{');
  for (int depth = 1; depth > 0;) {
    if (at_end()) fail("expected '}'");
    const char c = text_[at_++];
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
  }
}

void PtxReader::parenthesis() {
  expect('(');
  at_ = std::min(text_.find(')', at_), text_.size());
  expect(')');
}

std::string PtxReader::number() {
  skip();
  const std::size_t begin = at_;
  if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) ++at_;
  const bool is_hex = text_.substr(at_, 2) == "0x" || text_.substr(at_, 2) == "0X";
  while (at_ < text_.size() &&
         (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '.' ||
          ((text_[at_] == '-' || text_[at_] == '+') && at_ > begin && !is_hex &&
           (text_[at_ - 1] | 0x20) == 'e')))
    ++at_;
  if (at_ == begin) fail("expected a number");
  return std::string(text_.substr(begin, at_ - begin));
}

long long PtxReader::integer() {
  std::string text = number();
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.erase(0, 1);
  while (text.ends_with('U') || text.ends_with('u')) text.pop_back();
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  const bool is_octal = !is_hex && text.size() > 1 && text.front() == '0';
  unsigned long long value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + (is_hex ? 2 : 0), end, value,
                                             is_hex     ? 16
                                             : is_octal ? 8
                                                        : 10);
  if (error != std::errc() || stop != end) fail(fmt::format("'{}' is no integer", text));
  return static_cast<long long>(is_negative ? 0 - value : value);
}

std::string PtxReader::literal() {
  expect('"');
  const std::size_t end = text_.find('"', at_);
  if (end == std::string_view::npos) fail("a text without an end");
  std::string text(text_.substr(at_, end - at_));
  at_ = end + 1;
  return text;
}

PtxInstruction PtxReader::instruction() {
  PtxInstruction result;
  result.line = line();
  if (take('@')) {
    result.is_guard_negated = take('!');
    result.guard = name();
  }
  result.opcode = until(";{}[]()\"");
  if (result.opcode.empty() || !std::islower(static_cast<unsigned char>(result.opcode.front())))
    fail("expected an instruction");
  for (std::size_t at = 0; at <= result.opcode.size();) {
    const std::size_t dot = std::min(result.opcode.find('.', at), result.opcode.size());
    result.parts.push_back(result.opcode.substr(at, dot - at));
    at = dot + 1;
  }
  for (bool is_first = true; !is_first || (peek() != ';' && !at_end()); is_first = false) {
    result.operands.push_back(operand());
    if (take('|')) {
      result.has_second_result = true;
      result.operands.push_back(operand());
    }
    if (take(',')) continue;
    if (peek() != ';' && !at_end()) fail("expected ',' or ';'");
    break;
  }
  take(';');
  return result;
}

PtxOperand PtxReader::address() {
  PtxOperand result;
  result.kind = PtxOperand::Kind::kAddress;
  if (is_digit_of_ptx(peek()) || peek() == '-')
    result.offset = integer();
  else
    result.text = name();
  while (peek() == '+' || peek() == '-') {
    take('+');
    result.offset += integer();
  }
  while (take(',')) result.elements.push_back(operand());
  expect(']');
  return result;
}

PtxOperand PtxReader::operand() {
  PtxOperand result;
  const bool is_vector = take('{');
  if (is_vector || take('(')) {
    result.kind = is_vector ? PtxOperand::Kind::kVector : PtxOperand::Kind::kList;
    const char end = is_vector ? '}' : ')';
    if (take(end)) return result;
    do result.elements.push_back(operand());
    while (take(','));
    expect(end);
    return result;
  }
  if (take('[')) return address();
  result.is_negated = take('!');
  const char c = peek();
  if (c == '-' || c == '+' || is_digit_of_ptx(c)) {
    result.kind = PtxOperand::Kind::kNumber;
    result.text = number();
    return result;
  }
  result.text = name();
  if (result.text == "_") result.kind = PtxOperand::Kind::kNone;
  if (peek() == '+') {
    take('+');
    result.offset = integer();
  }
  return result;
}

void PtxReader::fail(const std::string& what) {
  const int number = line();
  std::string found(text_.substr(at_, std::min<std::size_t>(text_.find('\n', at_) - at_, 40)));
  throw SpecError(found.empty() ? fmt::format("line {}: {} at the end", number, what)
                                : fmt::format("line {}: {} at '{}'", number, what, found));
}

}  // namespace kernelbatch::host
