#include "core/job/yaml_writer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kernelbatch {
namespace {

constexpr std::size_t kLineWidth = 100;

enum class Context { kFlow, kBlock };

bool is_null_word(std::string_view text) {
  return text == "~" || text == "null" || text == "Null" || text == "NULL";
}

/// True if the unquoted text reads back unchanged. Stricter than YAML's own rules.
bool reads_as_plain(std::string_view text, Context context) {
  if (text.empty() || is_null_word(text)) return false;
  if (text.front() == ' ' || text.back() == ' ' || text.back() == ':') return false;
  constexpr std::string_view kIndicators = "-?:,[]{}#&*!|>'\"%@`=<";
  if (kIndicators.find(text.front()) != std::string_view::npos) {
    const bool is_negative = text.front() == '-' && text.size() > 1 &&
                             ((text[1] >= '0' && text[1] <= '9') || text[1] == '.');
    if (!is_negative) return false;
  }
  if (text.starts_with("---") || text.starts_with("...")) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
    if (c == ':' && text[i + 1] == ' ') return false;
    if (c == '#' && text[i - 1] == ' ') return false;
    if (context == Context::kFlow && std::string_view(",[]{}?").find(c) != std::string_view::npos)
      return false;
  }
  return true;
}

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += fmt::format("\\{}", c);
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out + '"';
}

std::string write_scalar(std::string_view text, bool quoted, Context context) {
  return !quoted && reads_as_plain(text, context) ? std::string(text) : quote(text);
}

/// True if a single line preserves every scalar: a plain scalar with a comma needs a block.
bool keeps_in_flow(const YamlNode& node) {
  if (node.is_scalar())
    return node.quoted || reads_as_plain(node.text, Context::kFlow) ||
           !reads_as_plain(node.text, Context::kBlock);
  return std::all_of(node.children.begin(), node.children.end(), keeps_in_flow);
}

void write_flow(const YamlNode& node, std::string& out) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      out += "null";
      return;
    case YamlNode::Kind::kScalar:
      out += write_scalar(node.text, node.quoted, Context::kFlow);
      return;
    case YamlNode::Kind::kList:
    case YamlNode::Kind::kMapping:
      break;
  }
  out += node.is_list() ? '[' : '{';
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    if (i > 0) out += ", ";
    if (node.is_mapping()) out += write_scalar(node.keys[i].text, false, Context::kFlow) + ": ";
    write_flow(node.children[i], out);
  }
  out += node.is_list() ? ']' : '}';
}

void write_block(const YamlNode& node, std::size_t indent, std::string& out) {
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const YamlNode& child = node.children[i];
    const std::string margin(indent, ' ');
    const std::string head =
        node.is_list() ? margin + "-"
                       : margin + write_scalar(node.keys[i].text, false, Context::kBlock) + ":";
    std::string line = head + " ";
    if (child.is_scalar()) {
      out += line + write_scalar(child.text, child.quoted, Context::kBlock) + "\n";
      continue;
    }
    write_flow(child, line);
    const bool fits = line.size() <= kLineWidth && keeps_in_flow(child);
    const bool stays_on_line = child.children.empty() || (fits && (indent > 0 || child.is_list()));
    if (stays_on_line) {
      out += line + "\n";
    } else {
      out += head + "\n";
      write_block(child, indent + 2, out);
    }
  }
}

}  // namespace

std::string write_yaml(const YamlNode& mapping) {
  std::string out;
  write_block(mapping, 0, out);
  return out;
}

std::string write_yaml_line(const YamlNode& node) {
  std::string out;
  write_flow(node, out);
  return out;
}

}  // namespace kernelbatch
