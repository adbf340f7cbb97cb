#include "core/device/host/ptx/ptx_module.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "core/base/error.hpp"
#include "core/device/host/ptx/ptx_reader.hpp"

namespace kernelbatch::host {
namespace {

class ModuleReader {
 public:
  explicit ModuleReader(std::string_view text) : reader_(text) {}

  PtxModule read() {
    while (!reader_.at_end()) {
      if (!reader_.take('.')) reader_.fail("expected a directive");
      const int line = reader_.line();
      directive(reader_.name(), line);
    }
    if (module_.version.empty()) reader_.fail("a module without .version");
    if (module_.target.empty()) reader_.fail("a module without .target");
    return std::move(module_);
  }

 private:
  void directive(const std::string& word, int line) {
    if (word == "version") {
      module_.version = reader_.until("");
    } else if (word == "target") {
      module_.target = reader_.until(",");
      reader_.rest_of_line();
    } else if (word == "address_size") {
      if (reader_.integer() != 64)
        throw SpecError(
            fmt::format("line {}: only modules of .address_size 64 are possible", line));
    } else if (word == "file") {
      const int number = static_cast<int>(reader_.integer());
      module_.files[number] = reader_.literal();
      reader_.rest_of_line();
    } else if (word == "section") {
      reader_.until("{");
      reader_.skip_braces();
    } else if (word == "pragma") {
      reader_.literal();
      reader_.expect(';');
    } else if (word == "visible" || word == "extern" || word == "weak" || word == "common") {
      is_extern_ = word == "extern";
      if (!reader_.take('.')) reader_.fail("expected a directive");
      directive(reader_.name(), line);
      is_extern_ = false;
    } else if (word == "entry" || word == "func") {
      function(word == "entry", line);
    } else if (word == "global" || word == "const" || word == "shared" || word == "local") {
      for (PtxVariable& each : reader_.variables(word, ";")) {
        each.is_extern = is_extern_;
        module_.variables.push_back(std::move(each));
      }
      reader_.expect(';');
    } else {
      throw SpecError(fmt::format("line {}: unknown directive '.{}'", line, word));
    }
  }

  void function(bool is_entry, int line) {
    PtxFunction function;
    function.line = line;
    function.is_entry = is_entry;
    if (!is_entry) {
      // Attributes such as .attribute(.unified(0, 0)) are not needed.
      function.results = reader_.parameters();
    }
    function.name = reader_.name();
    function.parameters = reader_.parameters();
    while (reader_.peek() != '{' && reader_.peek() != ';') {
      if (reader_.at_end()) reader_.fail("expected the body of a function");
      if (reader_.peek() == '"')
        reader_.literal();
      else if (reader_.take_word(".reqntid"))
        block_limit(function, true);
      else if (reader_.take_word(".maxntid"))
        block_limit(function, false);
      else if (reader_.take(','))
        continue;
      else if (reader_.until(",{;\"").empty())
        reader_.fail("expected the body of a function");
    }
    if (!reader_.take(';')) body(function);
    module_.functions.push_back(std::move(function));
  }

  void block_limit(PtxFunction& function, bool is_exact) {
    function.is_block_exact = is_exact;
    function.block.clear();
    do function.block.push_back(static_cast<unsigned>(reader_.integer()));
    while (reader_.take(','));
    function.block.resize(3, 1);
  }

  void body(PtxFunction& function) {
    reader_.expect('{');
    function.has_body = true;
    for (int depth = 1; depth > 0;) {
      if (reader_.at_end()) reader_.fail(fmt::format("'{}' has no end", function.name));
      PtxStatement statement = reader_.statement();
      if (statement.kind == PtxStatement::Kind::kOpen) ++depth;
      if (statement.kind == PtxStatement::Kind::kClose) --depth;
      if (depth > 0 && statement.kind != PtxStatement::Kind::kNothing)
        function.body.push_back(std::move(statement));
    }
  }

  PtxReader reader_;
  PtxModule module_;
  bool is_extern_ = false;
};

/// Adds the names in an operand.
void add_names(const PtxOperand& operand, std::set<std::string>& names) {
  if (!operand.text.empty()) names.insert(operand.text);
  for (const PtxOperand& each : operand.elements) add_names(each, names);
}

}  // namespace

bool is_ptx(std::string_view text) {
  PtxReader reader(text);
  return reader.take_word(".version");
}

PtxModule read_ptx_module(std::string_view text) { return ModuleReader(text).read(); }

void keep_entries(PtxModule& module, std::span<const std::string> wanted) {
  if (wanted.empty()) return;
  std::set<std::string> names(wanted.begin(), wanted.end()), kept;
  for (const PtxVariable& variable : module.variables)
    for (const PtxInitial& each : variable.initial) names.insert(each.name);
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (const PtxFunction& each : module.functions) {
      if ((each.is_entry && !names.contains(each.name)) || !kept.insert(each.name).second) continue;
      is_changed = true;
      for (const PtxStatement& statement : each.body)
        for (const PtxOperand& operand : statement.instruction.operands) add_names(operand, names);
    }
  }
  for (PtxFunction& each : module.functions) {
    if (kept.contains(each.name)) continue;
    each.has_body = false;
    each.body.clear();
  }
}

}  // namespace kernelbatch::host
