#include "core/job/yaml.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

namespace kernelbatch {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxNodes = 4'000'000;
constexpr std::size_t kMaxDepth = 64;
/// Limit of data repeated by aliases, which take no space in the document.
constexpr std::size_t kMaxRepeatedBytes = std::size_t{64} << 20;

/// Approximate cost of a copy of a node.
std::size_t bytes_of(const YamlNode& node) {
  constexpr std::size_t kNode = 256;
  std::size_t bytes = kNode + node.text.size();
  for (const YamlKey& key : node.keys) bytes += key.text.size();
  for (const YamlNode& child : node.children) bytes += bytes_of(child);
  return bytes;
}

/// Builds the tree from yaml-cpp's events: its node type silently keeps one of two duplicate keys,
/// while events give the place of each.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& file, bool has_lines) : file_(file), has_lines_(has_lines) {}

  YamlNode take() { return std::move(root_); }
  std::size_t documents() const { return documents_; }

  SourcePlace place_of(const YAML::Mark& mark) const {
    if (!has_lines_ || mark.is_null()) return {file_, 0, 0};
    return {file_, mark.line + 1, mark.column + 1};
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) fail_at(place_of(mark), "a job file holds one YAML document");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(YamlNode{.place = place_of(mark)}, anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) fail_at(place_of(mark), "this alias is inside its own anchor");
    count_repeated(found->second, place_of(mark));
    add(found->second, 0);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    add(YamlNode{.kind = YamlNode::Kind::kScalar,
                 .text = value,
                 .quoted = tag == "!",  // yaml-cpp's mark of a non-plain scalar
                 .place = place_of(mark)},
        anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::kList, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::kMapping, mark, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Level {
    YamlNode node;
    YAML::anchor_t anchor = 0;
    std::map<std::string, int> lines{};  ///< of the keys so far
  };

  void count(const SourcePlace& place) {
    if (++nodes_ > kMaxNodes)
      fail_at(place, fmt::format("the document has more than {} values", kMaxNodes));
  }

  void count_repeated(const YamlNode& node, const SourcePlace& place) {
    repeated_ += bytes_of(node);
    if (repeated_ > kMaxRepeatedBytes)
      fail_at(place, fmt::format("the aliases repeat more than {} MiB", kMaxRepeatedBytes >> 20));
  }

  void open(YamlNode::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (levels_.size() >= kMaxDepth)
      fail_at(place_of(mark), fmt::format("nested more than {} levels deep", kMaxDepth));
    levels_.push_back({.node = {.kind = kind, .place = place_of(mark)}, .anchor = anchor});
  }

  void close() {
    Level level = std::move(levels_.back());
    levels_.pop_back();
    add(std::move(level.node), level.anchor);
  }

  void add(YamlNode node, YAML::anchor_t anchor) {
    count(node.place);
    if (anchor != 0) {
      count_repeated(node, node.place);
      anchors_[anchor] = node;
    }
    if (levels_.empty()) {
      root_ = std::move(node);
      return;
    }
    Level& parent = levels_.back();
    if (parent.node.is_mapping() && parent.node.keys.size() == parent.node.children.size()) {
      add_key(parent, node);
      return;
    }
    // yaml-cpp places an absent value at the next token.
    if (node.is_null() && parent.node.is_mapping()) node.place = parent.node.keys.back().place;
    parent.node.children.push_back(std::move(node));
  }

  void add_key(Level& parent, YamlNode key) {
    if (key.is_null()) key = {.kind = YamlNode::Kind::kScalar, .text = "null", .place = key.place};
    if (!key.is_scalar() || key.text.empty())
      fail_at(key.place, fmt::format("a key must be a word, not {}", describe(key)));
    if (key.text == "<<" && !key.quoted)
      fail_at(key.place, "merge keys ('<<') are not supported: write the keys out");
    const auto [seen, is_new] = parent.lines.try_emplace(key.text, key.place.line);
    if (!is_new)
      fail_at(key.place, key.place.line == 0
                             ? fmt::format("duplicate key '{}'", key.text)
                             : fmt::format("duplicate key '{}' (first given on line {})", key.text,
                                           seen->second));
    parent.node.keys.push_back({key.text, key.place});
  }

  const std::string& file_;
  bool has_lines_;
  YamlNode root_;
  std::vector<Level> levels_;
  std::map<YAML::anchor_t, YamlNode> anchors_;
  std::size_t nodes_ = 0, repeated_ = 0;
  std::size_t documents_ = 0;
};

YamlNode parse(std::string_view text, const std::string& file, bool has_lines) {
  if (text.size() > kMaxBytes)
    fail_at({file, 0, 0}, fmt::format("the document is larger than {} MiB", kMaxBytes >> 20));
  if (text.find('\0') != std::string_view::npos)
    fail_at({file, 0, 0}, "this is not a text file: it has a zero byte");
  std::istringstream stream{std::string(text)};
  TreeBuilder builder(file, has_lines);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    fail_at(builder.place_of(error.mark), fmt::format("not valid YAML: {}", error.msg));
  }
  YamlNode root = builder.take();
  if (builder.documents() == 0) root.place = {file, has_lines ? 1 : 0, has_lines ? 1 : 0};
  return root;
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const noexcept {
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keys[i].text == key) return &children[i];
  return nullptr;
}

YamlNode* YamlNode::find(std::string_view key) noexcept {
  return const_cast<YamlNode*>(std::as_const(*this).find(key));
}

YamlNode parse_yaml(std::string_view text, const std::string& file) {
  return parse(text, file, true);
}

YamlNode parse_yaml_argument(std::string_view text, const std::string& origin) {
  return parse(text, origin, false);
}

std::string describe(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kScalar:
      return fmt::format("'{}'", node.text);
    case YamlNode::Kind::kList:
      return "a list";
    case YamlNode::Kind::kMapping:
      return "a mapping";
  }
  return "";
}

}  // namespace kernelbatch
