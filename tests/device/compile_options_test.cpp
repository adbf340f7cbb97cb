#include "core/device/compile_options.hpp"

#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/message.hpp"

namespace kernelbatch {
namespace {

TEST_CASE("Options that are read from a file are refused") {
  for (const std::string option :
       {"@file", "-D@file", "-I@file", "--options-file", "--options-file=x", "-optf", "-optf=x",
        "-Xcompiler=@file", "-Xcompiler=-a,@file", "-Xcompiler @file", "-DX=@file"}) {
    CAPTURE(option);
    CHECK_THROWS_WITH(require_no_response_files(std::span(&option, 1)),
                      Contains("options from a file"));
  }
  for (const std::string option :
       {"-DPRECISION=2", "-DMAIL=me@site", "-I/home/me@site/include", "-std=c++20", "-lineinfo"}) {
    CAPTURE(option);
    CHECK_NOTHROW(require_no_response_files(std::span(&option, 1)));
  }
}

using Options = std::vector<std::string>;

TEST_CASE("Every spelling of the option for relocatable code is recognized") {
  for (const char* option :
       {"-rdc=true", "--rdc=true", "-dc", "--device-c", "--relocatable-device-code=true"})
    CHECK(asks_for_relocatable_code(Options{"-O3", option}));
  CHECK_FALSE(asks_for_relocatable_code(Options{"-rdc=false", "-dcx", "-Drdc=true"}));
  CHECK_FALSE(asks_for_relocatable_code(Options{}));
}

TEST_CASE("A language standard is recognized in both spellings") {
  CHECK(names_standard(Options{"-DX", "--std=c++17"}));
  CHECK(names_standard(Options{"-std=c++17"}));
  CHECK_FALSE(names_standard(Options{"-Dstd=c++17"}));
}

TEST_CASE("Words with shell command substitution are refused") {
  for (const char* word : {"-DX=$(touch PWNED)", "-DX=`touch PWNED`", "-I/home/$USER/include"})
    CHECK_THAT(test::message_of([&] {
                 require_no_substitution(Options{"-O3", word});
               }),
               Contains("nvcc would have a shell run a part of '" + std::string(word) + "'"));
  for (const char* word : {"-DX=a; b", "-DX='a'", "-DX=\"a\"", "-DX=a&b|c", "-I/two words"})
    CHECK(test::message_of([&] { require_no_substitution(Options{word}); }).empty());
}

}  // namespace
}  // namespace kernelbatch
