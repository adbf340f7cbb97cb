#include <fmt/format.h>

#include <fstream>

#include "core/workload/loader.hpp"
#include "tests/app/command.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/message.hpp"

namespace kernelbatch {
namespace {

void* create_nothing() { return nullptr; }

kernelbatch_plugin right() {
  return {KERNELBATCH_PLUGIN_MAGIC,
          KERNELBATCH_PLUGIN_ABI,
          sizeof(kernelbatch_plugin),
          0,
          KERNELBATCH_BUILD_TAG,
          "demo",
          create_nothing};
}

template <class Change>
std::string refusal_after(Change change) {
  kernelbatch_plugin plugin = right();
  change(plugin);
  return test::message_of([&] { check_handshake(plugin, "demo.so"); });
}

std::string refusal_of(const std::string& path) {
  return test::message_of([&] { Plugin::load(path); });
}

TEST_CASE("A valid handshake passes, and so does a longer future one") {
  CHECK(refusal_after([](auto&) {}).empty());
  CHECK(refusal_after([](auto& plugin) { plugin.struct_size += 64; }).empty());
}

TEST_CASE("Each wrong field of the handshake has its own message") {
  CHECK(refusal_after([](auto& plugin) { plugin.magic = 0x12345678; }) ==
        "demo.so: not a kernelbatch plugin: its magic number is 0x12345678");
  CHECK(refusal_after([](auto& plugin) { plugin.abi = 7; }) ==
        "demo.so: speaks plugin ABI 7, this kernelbatch ABI 1: rebuild the plugin");
  CHECK(refusal_after([](auto& plugin) { plugin.struct_size = 16; }) ==
        "demo.so: its handshake has 16 bytes, this kernelbatch needs 40: rebuild the plugin");
  CHECK(refusal_after([](auto& plugin) { plugin.build_tag = "gcc9/c++17/abc"; }) ==
        "demo.so: built as gcc9/c++17/abc, this kernelbatch is " KERNELBATCH_BUILD_TAG
        ": rebuild the plugin");
  CHECK_THAT(refusal_after([](auto& plugin) { plugin.build_tag = nullptr; }), Contains("(no tag)"));
  CHECK(refusal_after([](auto& plugin) { plugin.name = nullptr; }) ==
        "demo.so: its handshake names no workload");
  CHECK(refusal_after([](auto& plugin) { plugin.create = nullptr; }) ==
        "demo.so: its handshake names no workload");
}

TEST_CASE("Fields of the handshake are checked in order") {
  CHECK_THAT(refusal_after([](auto& plugin) { plugin = {1, 2, 3, 0, nullptr, nullptr, nullptr}; }),
             Contains("magic"));
  CHECK_THAT(refusal_after([](auto& plugin) {
               plugin.abi = 2;
               plugin.build_tag = "other";
             }),
             Contains("ABI 2"));
}

TEST_CASE("Real files with wrong handshakes are refused by name") {
  CHECK_THAT(refusal_of(test::refused_plugin("wrong_magic")),
             Contains("wrong_magic.so: not a kernelbatch plugin: its magic number is 0xdeadbeef"));
  CHECK_THAT(refusal_of(test::refused_plugin("wrong_abi")), Contains("speaks plugin ABI 42"));
  CHECK_THAT(refusal_of(test::refused_plugin("wrong_size")), Contains("has 16 bytes"));
  CHECK_THAT(refusal_of(test::refused_plugin("wrong_tag")),
             Contains("built as gcc1/c++98/00000000"));
  CHECK(refusal_of(test::refused_plugin("null_handshake")) ==
        "null_handshake.so: its handshake is empty");
  CHECK(refusal_of(test::refused_plugin("no_symbol")) ==
        "no_symbol.so: not a kernelbatch plugin: it does not export kernelbatch_plugin_v1");
}

TEST_CASE("A plugin that throws while it is created is refused with its message") {
  CHECK(refusal_of(test::refused_plugin("throws_at_create")) ==
        "throws_at_create.so: fails while it is loaded: no licence for this machine");
}

TEST_CASE("A plugin whose workload has another name is refused") {
  CHECK(refusal_of(test::refused_plugin("other_name")) ==
        "other_name.so: fails while it is loaded: it calls itself 'other_name' and its workload "
        "'somebody_else'");
}

TEST_CASE("Files that are not libraries are refused") {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "text.so") << "#!/bin/sh\n";
  std::ofstream(folder / "empty.so") << "";
  CHECK_THAT(refusal_of((folder / "text.so").string()), Contains("text.so: cannot be loaded: "));
  CHECK_THAT(refusal_of((folder / "empty.so").string()), Contains("empty.so: cannot be loaded: "));
  CHECK_THAT(refusal_of("/nowhere/x.so"), Contains("x.so: cannot be loaded: "));
  CHECK_THAT(refusal_of(folder.path().string()), Contains("it is a folder, not a file"));
}

TEST_CASE("A valid plugin loads with its declarations") {
  const Plugin plugin = Plugin::load(test::test_plugins() + "/faulty.so");
  CHECK(plugin.workload().info().name == "faulty");
  CHECK(plugin.workload().info().variants.front().name == "reference");
}

}  // namespace
}  // namespace kernelbatch
