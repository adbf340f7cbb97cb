#include "core/device/ptx_accesses.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "core/base/error.hpp"
#include "core/device/host/ptx/ptx_module.hpp"

namespace kernelbatch {
namespace {

using host::PtxFunction;
using host::PtxInstruction;
using host::PtxOperand;

using Place = std::pair<std::size_t, std::size_t>;  // a parameter, an offset in it

bool is_type(std::string_view part) {
  if (part == "f16" || part == "bf16" || part == "f16x2" || part == "bf16x2") return true;
  return part.size() >= 2 && part.size() <= 4 &&
         std::string_view("bsuf").find(part[0]) != std::string_view::npos &&
         std::ranges::all_of(part.substr(1), [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<std::string> types_of(const PtxInstruction& instruction) {
  std::vector<std::string> types;
  std::ranges::copy_if(instruction.parts, std::back_inserter(types), is_type);
  return types;
}

std::size_t bits_of(std::string_view type) {
  return type.find("16") != std::string_view::npos
             ? 16
             : static_cast<std::size_t>(std::stoul(std::string(type.substr(1))));
}

bool is_real(std::string_view type) { return type[0] == 'f' || type.starts_with("bf"); }

/// "f16" for "f16x2".
std::string element_of(const std::string& type) {
  return type.ends_with("x2") ? type.substr(0, type.size() - 2) : type;
}

std::vector<std::string> registers_of(const PtxOperand& operand) {
  if (operand.kind == PtxOperand::Kind::kRegister) return {operand.text};
  std::vector<std::string> names;
  for (const PtxOperand& each : operand.elements)
    for (std::string& name : registers_of(each)) names.push_back(std::move(name));
  return names;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

/// The type of all accesses through a pointer, of which some may be unknown; empty if they differ.
std::string common_type(std::set<std::string> types) {
  types.erase("");
  // Atomic additions of int are those of unsigned.
  for (const char* const width : {"32", "64"})
    if (types.contains(std::string("s") + width)) types.erase(std::string("u") + width);
  return types.size() == 1 ? *types.begin() : "";
}

class AccessSearch {
 public:
  explicit AccessSearch(const PtxFunction& function) : function_(function) {
    for (const host::PtxStatement& statement : function.body)
      if (statement.kind == host::PtxStatement::Kind::kInstruction &&
          !statement.instruction.operands.empty())
        instructions_.push_back(&statement.instruction);
  }

  std::vector<PointerAccess> find() {
    follow_pointers();
    for (const PtxInstruction* each : instructions_) add_uses(*each);
    std::map<Place, std::set<std::string>> types;
    for (const PtxInstruction* each : instructions_) add_access(*each, types);
    std::vector<PointerAccess> accesses;
    for (const auto& [place, found] : types)
      accesses.push_back({place.first, place.second, common_type(found)});
    return accesses;
  }

 private:
  void follow_pointers() {
    constexpr int kMostRounds = 50;
    bool is_changed = true;
    for (int round = 0; is_changed && round < kMostRounds; ++round) {
      is_changed = false;
      for (const PtxInstruction* each : instructions_) is_changed = follow(*each) || is_changed;
    }
  }
  bool follow(const PtxInstruction& instruction);
  bool load_parameter(const PtxInstruction& instruction);
  void add_uses(const PtxInstruction& instruction);
  void add_conversion(const PtxInstruction& instruction, const std::vector<std::string>& types);
  void add_move(const PtxInstruction& instruction);
  void add_access(const PtxInstruction& instruction, std::map<Place, std::set<std::string>>& types);
  std::string value_type(const PtxOperand& value, const std::string& type);
  void use(const PtxOperand& operand, const std::string& type) {
    for (const std::string& name : registers_of(operand)) uses_[root(name)].insert(type);
  }
  std::string root(std::string name) {
    for (auto next = joined_.find(name); next != joined_.end(); next = joined_.find(name))
      name = next->second;
    return name;
  }
  void join(const std::string& one, const std::string& other) {
    const std::string kept = root(one), lost = root(other);
    if (kept == lost) return;
    joined_[lost] = kept;
    uses_[kept].merge(uses_[lost]);
  }

  const PtxFunction& function_;
  std::vector<const PtxInstruction*> instructions_;
  std::map<std::string, std::set<Place>> pointers_;         ///< by register
  std::map<std::string, std::set<std::string>> uses_;       ///< types, by root register
  std::map<std::string, std::string> joined_;               ///< registers with the same value
  std::map<std::string, std::vector<std::string>> halves_;  ///< of a register that is unpacked
};

bool AccessSearch::load_parameter(const PtxInstruction& instruction) {
  const PtxOperand& from = instruction.operands.back();
  const auto parameter =
      std::ranges::find(function_.parameters, from.text, &host::PtxVariable::name);
  const std::vector<std::string> types = types_of(instruction);
  if (parameter == function_.parameters.end() || types.empty() || bits_of(types.back()) != 64)
    return false;
  const auto index = static_cast<std::size_t>(parameter - function_.parameters.begin());
  auto offset = static_cast<std::size_t>(from.offset);
  bool is_changed = false;
  for (const std::string& name : registers_of(instruction.operands.front())) {
    is_changed = pointers_[name].insert({index, offset}).second || is_changed;
    offset += 8;
  }
  return is_changed;
}

bool AccessSearch::follow(const PtxInstruction& instruction) {
  const std::string& name = instruction.parts.front();
  if (name == "ld" && instruction.has("param")) return load_parameter(instruction);
  if (!is_one_of(name, {"mov", "add", "sub", "mad", "cvta", "selp", "and", "or"})) return false;
  std::set<Place> places;
  for (std::size_t k = 1; k < instruction.operands.size(); ++k)
    for (const std::string& source : registers_of(instruction.operands[k]))
      if (const auto found = pointers_.find(source); found != pointers_.end())
        places.insert(found->second.begin(), found->second.end());
  if (places.empty()) return false;
  bool is_changed = false;
  for (const std::string& target : registers_of(instruction.operands.front()))
    for (const Place& place : places)
      is_changed = pointers_[target].insert(place).second || is_changed;
  return is_changed;
}

/// Results have the first type, operands the last.
void AccessSearch::add_conversion(const PtxInstruction& instruction,
                                  const std::vector<std::string>& types) {
  use(instruction.operands.front(), types.front());
  for (std::size_t k = 1; k < instruction.operands.size(); ++k)
    use(instruction.operands[k], types.back());
}

void AccessSearch::add_move(const PtxInstruction& instruction) {
  const PtxOperand &to = instruction.operands[0], &from = instruction.operands[1];
  const std::vector<std::string> target = registers_of(to), source = registers_of(from);
  if (to.elements.empty() && from.elements.empty()) {
    if (target.size() == 1 && source.size() == 1) join(target[0], source[0]);
    return;
  }
  // A float whose upper half is a register and whose lower half is 0 is a bfloat16.
  if (from.elements.size() == 2 && from.elements[0].kind == PtxOperand::Kind::kNumber)
    return use(from.elements[1], "bf16");
  const auto& whole = to.elements.empty() ? target : source;
  const auto& parts = to.elements.empty() ? source : target;
  if (whole.size() == 1)
    halves_[whole[0]].insert(halves_[whole[0]].end(), parts.begin(), parts.end());
}

void AccessSearch::add_uses(const PtxInstruction& instruction) {
  const std::string& name = instruction.parts.front();
  const std::vector<std::string> types = types_of(instruction);
  if (types.empty() || is_one_of(name, {"ld", "st", "ldu", "atom", "red", "cvta"})) return;
  if (name == "mov" && instruction.operands.size() == 2) add_move(instruction);
  if (name == "cvt" && types.size() == 2) return add_conversion(instruction, types);
  if (name == "selp" && instruction.operands.size() == 4)
    for (const std::size_t k : {std::size_t{1}, std::size_t{2}})
      for (const std::string& source : registers_of(instruction.operands[k]))
        for (const std::string& target : registers_of(instruction.operands[0]))
          join(target, source);
  if (types.back()[0] == 'b' && !types.back().starts_with("bf")) return;
  const std::size_t first = name == "setp" ? 1 : 0;
  const bool is_wide = instruction.has("wide") || instruction.has("hi");
  for (std::size_t k = is_wide ? 1 : first; k < instruction.operands.size() && !(is_wide && k == 3);
       ++k)
    use(instruction.operands[k], types.back());
}

/// Type of a value in memory; empty if unknown.
std::string AccessSearch::value_type(const PtxOperand& value, const std::string& type) {
  if (is_real(type)) return type;
  std::set<std::string> reals, integers;
  const auto add = [&](const std::string& name) {
    for (const std::string& use : uses_[root(name)])
      if (is_real(use))
        reals.insert(element_of(use));
      else if (bits_of(use) == bits_of(type))
        integers.insert(use);
  };
  for (const std::string& name : registers_of(value)) {
    add(name);
    if (const auto halves = halves_.find(name); halves != halves_.end())
      for (const std::string& half : halves->second) add(half);
  }
  std::erase_if(reals, [&](const std::string& real) { return bits_of(real) > bits_of(type); });
  if (reals.size() == 1) return *reals.begin();
  if (!reals.empty()) return "";
  if (type[0] == 's') return type;
  const std::string width = type.substr(1);
  if (integers.contains("s" + width)) return "s" + width;
  if (integers.contains("u" + width)) return "u" + width;
  // Compilers load int and unsigned as unsigned.
  return type[0] == 'u' ? (width == "32" || width == "64" ? "s" : "u") + width : "";
}

void AccessSearch::add_access(const PtxInstruction& instruction,
                              std::map<Place, std::set<std::string>>& types) {
  const std::string& name = instruction.parts.front();
  if (!is_one_of(name, {"ld", "ldu", "st", "atom", "red"}) || instruction.has("param") ||
      instruction.has("shared") || instruction.has("local"))
    return;
  const auto address =
      std::ranges::find(instruction.operands, PtxOperand::Kind::kAddress, &PtxOperand::kind);
  const std::vector<std::string> named = types_of(instruction);
  if (address == instruction.operands.end() || named.empty()) return;
  const auto places = pointers_.find(address->text);
  if (places == pointers_.end()) return;
  const PtxOperand& value = address == instruction.operands.begin() ? instruction.operands.back()
                                                                    : instruction.operands.front();
  const std::string type = value_type(value, named.back());
  for (const Place& place : places->second) types[place].insert(type);
}

}  // namespace

std::vector<PointerAccess> pointer_accesses(std::string_view ptx, std::string_view entry) try {
  const host::PtxModule module = host::read_ptx_module(ptx);
  for (const PtxFunction& function : module.functions)
    if (function.is_entry && function.has_body && function.name == entry)
      return AccessSearch(function).find();
  return {};
} catch (const Error&) {
  return {};  // an instruction that the reader does not know
}

}  // namespace kernelbatch
