#include "core/device/host/ptx/ptx_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/device/host/ptx/ptx_reader.hpp"

namespace kernelbatch::host {
namespace {

/// Replaces "%%" by the "%" that the assembler sees.
std::string as_assembled(std::string_view code) {
  std::string result;
  for (std::size_t k = 0; k < code.size(); ++k) {
    if (code.substr(k, 2) == "%%") ++k;
    result += code[k];
  }
  return result;
}

}  // namespace

bool PtxInstruction::has(std::string_view part) const {
  return std::ranges::find(parts, part) != parts.end();
}

std::vector<PtxInitial> PtxReader::initial_values() {
  if (take('{')) {
    std::vector<PtxInitial> values;
    if (take('}')) return values;
    do
      for (PtxInitial& each : initial_values()) values.push_back(std::move(each));
    while (take(','));
    expect('}');
    return values;
  }
  PtxInitial value;
  const char c = peek();
  if (c == '-' || c == '+' || (c >= '0' && c <= '9')) {
    value.number = number();
  } else {
    value.name = name();
    if (value.name == "generic" && take('(')) {
      value.name = name();
      expect(')');
    }
    if (peek() == '+') value.offset = (take('+'), integer());
  }
  return {value};
}

PtxVariable PtxReader::variable(const PtxVariable& common) {
  PtxVariable result = common;
  result.line = line();
  result.name = name();
  if (take('<')) {
    result.elements = static_cast<std::size_t>(integer());
    result.is_range = true;
    expect('>');
  }
  while (take('[')) {
    result.is_array = true;
    result.elements *= peek() == ']' ? 0 : static_cast<std::size_t>(integer());
    expect(']');
  }
  if (take('=')) {
    result.initial = initial_values();
    if (result.is_array && result.elements == 0) result.elements = result.initial.size();
  }
  return result;
}

std::vector<PtxVariable> PtxReader::variables(std::string space, std::string_view ends) {
  PtxVariable common;
  common.space = std::move(space);
  std::size_t length = 1;
  bool is_pointer = false;  // an alignment is then that of the target
  while (take('.')) {
    const std::string word = name();
    is_pointer = is_pointer || word == "ptr";
    if (word == "align") {
      const auto alignment = static_cast<std::size_t>(integer());
      if (!is_pointer) common.alignment = alignment;
    } else if (word == "v2" || word == "v4")
      length = static_cast<std::size_t>(word[1] - '0');
    else if (word == "attribute")
      parenthesis();
    else if (word != "ptr" && word != "global" && word != "const" && word != "shared" &&
             word != "local" && word != "volatile")
      common.type = word;
  }
  if (common.type.empty()) fail("expected a type");
  std::vector<PtxVariable> result;
  do {
    result.push_back(variable(common));
    result.back().elements *= length;
    if (length > 1) result.back().is_array = true;
  } while (ends.find(',') == std::string_view::npos && take(','));
  return result;
}

std::vector<PtxVariable> PtxReader::parameters() {
  std::vector<PtxVariable> result;
  if (!take('(') || take(')')) return result;
  do {
    expect('.');
    const std::string space = name();
    if (space != "param" && space != "reg") fail("expected .param or .reg");
    result.push_back(variables(space, ",").front());
  } while (take(','));
  expect(')');
  return result;
}

void PtxReader::labelled(PtxStatement& result) {
  using enum PtxStatement::Kind;
  const std::size_t begin = at_;
  if (const char c = peek(); c != '@') {
    const std::string word = name();
    if (take(':')) {
      result.kind = kLabel;
      result.name = word;
      if (take_word(".branchtargets")) {
        result.kind = kTargets;
        do result.targets.push_back(name());
        while (take(','));
        expect(';');
      } else if (take_word(".callprototype")) {
        result.kind = kPrototype;
        result.results = parameters();
        name();
        result.variables = parameters();
        while (peek() != ';' && !at_end()) until(";");
        expect(';');
      }
      return;
    }
    at_ = begin;
  }
  result.kind = kInstruction;
  result.instruction = instruction();
}

PtxStatement PtxReader::statement() {
  using enum PtxStatement::Kind;
  PtxStatement result;
  result.line = line();
  if (take(';')) return result;
  if (take('{')) {
    result.kind = kOpen;
  } else if (take('}')) {
    result.kind = kClose;
  } else if (take('.')) {
    const std::string word = name();
    if (word == "loc") {
      result.kind = kPlace;
      result.file = static_cast<int>(integer());
      result.file_line = static_cast<int>(integer());
      rest_of_line();
    } else if (word == "reg" || word == "local" || word == "shared" || word == "param") {
      result.kind = kVariables;
      result.variables = variables(word, ";");
      expect(';');
    } else if (word == "pragma") {
      literal();
      take(';');
    } else {
      fail(fmt::format("the directive '.{}' does not belong in a body", word));
    }
  } else {
    labelled(result);
  }
  return result;
}

PtxBody read_ptx(std::string_view code) {
  const std::string text = as_assembled(code);
  PtxReader reader(text);
  PtxBody body;
  while (!reader.at_end()) body.push_back(reader.statement());
  return body;
}

}  // namespace kernelbatch::host
