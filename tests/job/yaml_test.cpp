#include "core/job/yaml.hpp"

#include <fmt/format.h>

#include "core/job/yaml_writer.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/message.hpp"

namespace kernelbatch {
namespace {

std::string refusal(const std::string& text) {
  return test::message_of([&] { parse_yaml(text, "a.yaml"); });
}

TEST_CASE("A tree keeps texts, quotes, places and the order of keys") {
  const YamlNode root = parse_yaml("b: 1\na: [x, \"2\", 'y']\nc:\n  d: ~\n", "a.yaml");

  REQUIRE(root.is_mapping());
  REQUIRE(root.keys.size() == 3);
  CHECK(root.keys[0].text == "b");
  CHECK(root.keys[1].text == "a");
  CHECK(to_text(root.keys[1].place) == "a.yaml:2:1");
  const YamlNode* list = root.find("a");
  REQUIRE(list != nullptr);
  REQUIRE(list->children.size() == 3);
  CHECK_FALSE(list->children[0].quoted);
  CHECK(list->children[1].quoted);
  CHECK(list->children[2].quoted);
  CHECK(to_text(list->children[1].place) == "a.yaml:2:8");
  CHECK(root.find("c")->find("d")->is_null());
  CHECK(root.find("z") == nullptr);
}

TEST_CASE("JSON is YAML") {
  const YamlNode root = parse_yaml(R"({"a": [1, 2.5], "b": {"c": null}})", "a.json");
  CHECK(root.find("a")->children[1].text == "2.5");
  CHECK(root.find("b")->find("c")->is_null());
}

TEST_CASE("An absent value has its key's place") {
  const YamlNode root = parse_yaml("a:\nb: 1\n", "a.yaml");
  CHECK(root.find("a")->is_null());
  CHECK(to_text(root.find("a")->place) == "a.yaml:1:1");
}

TEST_CASE("Duplicate keys are errors at any depth") {
  CHECK(refusal("a: 1\nb: 2\na: 3\n") == "a.yaml:3:1: duplicate key 'a' (first given on line 1)");
  CHECK(refusal("m: {x: 1, y: 2, x: 3}\n") ==
        "a.yaml:1:17: duplicate key 'x' (first given on line 1)");
}

TEST_CASE("Syntax errors name the place") {
  CHECK(refusal("a: [1, 2\n") == "a.yaml:2:1: not valid YAML: end of sequence flow not found");
  CHECK(refusal("a: 1\n b: 2\n").starts_with("a.yaml:2:3: not valid YAML: "));
  CHECK(refusal("a: *b\n").starts_with("a.yaml:1:4: not valid YAML: "));
}

TEST_CASE("YAML that a job does not need is rejected with an explanation") {
  CHECK(refusal("a: 1\n---\nb: 2\n") == "a.yaml:2:1: a job file holds one YAML document");
  CHECK(refusal("[1]: 2\n") == "a.yaml:1:1: a key must be a word, not a list");
  CHECK(refusal("a: &x {b: 1}\nc:\n  <<: *x\n") ==
        "a.yaml:3:3: merge keys ('<<') are not supported: write the keys out");
  CHECK(refusal(std::string("a: \0b", 5)) == "a.yaml: this is not a text file: it has a zero byte");
}

TEST_CASE("Aliases are copies of their anchors") {
  const YamlNode root = parse_yaml("a: &x [1, 2]\nb: *x\n", "a.yaml");
  CHECK(root.find("b")->children.size() == 2);
}

TEST_CASE("Nested aliases cannot blow up the tree") {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i)
    bomb += fmt::format("a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", i,
                        i - 1);
  CHECK_THAT(refusal(bomb), Contains("the aliases repeat more than 64 MiB"));
  const std::string text(1 << 20, 'x');
  std::string heavy = "a: &a " + text + "\nb: [";
  for (int i = 0; i < 65; ++i) heavy += "*a, ";
  CHECK_THAT(refusal(heavy + "]\n"), Contains("the aliases repeat more than 64 MiB"));
}

TEST_CASE("Depth is limited") {
  CHECK_THAT(refusal(std::string(100, '[') + std::string(100, ']')),
             Contains("nested more than 64 levels deep"));
}

TEST_CASE("An empty document is a null node") {
  CHECK(parse_yaml("", "a.yaml").is_null());
  CHECK(parse_yaml("# nothing\n", "a.yaml").is_null());
}

TEST_CASE("Written YAML reads back to the same tree") {
  const std::string text =
      GENERATE(as<std::string>{}, "a: 1\n", "a: [1, [2, 3], {b: c}]\n", "a: \"\"\n", "a: '1'\n",
               "a: 'it''s: # {odd}'\n", "a: \"line\\nbreak\\ttab \\\\ \\\"\"\n",
               "a: n > 4 and m == 'x, y'\n",
               "a: [\"[1]\", \"-\", \"- x\", \"a: b\", \"~\", null, -1, \"#\", \"a #b\"]\n",
               "a: results/{name}.h5\n", "a:\n  - {b: [1, 2], c: {d: e}}\n  - f\n", "a: cuda:1\n",
               "a: [cuda:1, 00:30:00, '00:30:00', 2 GiB, 0.5%, .inf, -.5]\n",
               "\"odd: key\": {\"x,y\": 1}\n");
  const YamlNode once = parse_yaml(text, "a.yaml");
  const std::string written = write_yaml(once);
  const YamlNode twice = parse_yaml(written, "b.yaml");

  INFO(written);
  CHECK(write_yaml(twice) == written);
  CHECK(write_yaml_line(twice) == write_yaml_line(once));
}

}  // namespace
}  // namespace kernelbatch
