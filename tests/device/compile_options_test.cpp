#include "core/device/compile_options.hpp"

#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/message.hpp"

namespace kernelbatch {
namespace {

using Options = std::vector<std::string>;

TEST_CASE("Relocatable code is asked for by each of its spellings, and by nothing else") {
  for (const char* option :
       {"-rdc=true", "--rdc=true", "-dc", "--device-c", "--relocatable-device-code=true"})
    CHECK(asks_for_relocatable_code(Options{"-O3", option}));
  CHECK_FALSE(asks_for_relocatable_code(Options{"-rdc=false", "-dcx", "-Drdc=true"}));
  CHECK_FALSE(asks_for_relocatable_code(Options{}));
}

TEST_CASE("A language standard is found under both spellings") {
  CHECK(names_standard(Options{"-DX", "--std=c++17"}));
  CHECK(names_standard(Options{"-std=c++17"}));
  CHECK_FALSE(names_standard(Options{"-Dstd=c++17"}));
}

TEST_CASE("Words in which nvcc's shell would run a command are refused") {
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
