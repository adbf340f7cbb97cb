# Script mode: writes OUTPUT, a C++ source that defines NAMESPACE::NAME with the bytes of the file PATH for every line
# NAME=PATH of LIST.
# The assembler reads the bytes, so that a large image costs the compiler nothing; the hash makes a
# changed file a changed source.
set(namespace_symbol "kernelbatch_embedded_${NAMESPACE}")
string(REPLACE "::" "_" namespace_symbol "${namespace_symbol}")
set(content "#include <string_view>\n")
file(STRINGS "${LIST}" lines)
foreach(line IN LISTS lines)
  string(REGEX MATCH "^([A-Za-z_0-9]+)=(.*)$" ignored "${line}")
  set(name "${CMAKE_MATCH_1}")
  set(path "${CMAKE_MATCH_2}")
  set(symbol "${namespace_symbol}_${name}")
  file(SIZE "${path}" bytes)
  file(SHA256 "${path}" hash)
  string(APPEND content
"
// ${path}, sha256 ${hash}
__asm__(\".pushsection .rodata\\n.balign 16\\n.hidden ${symbol}\\n.globl ${symbol}\\n${symbol}:\\n\"
        \".incbin \\\"${path}\\\"\\n.byte 0\\n.popsection\\n\");
extern \"C\" __attribute__((visibility(\"hidden\"))) const char ${symbol}[];
namespace ${NAMESPACE} {
extern const std::string_view ${name};
constinit const std::string_view ${name}{${symbol}, ${bytes}};
}  // namespace ${NAMESPACE}
")
endforeach()
file(WRITE "${OUTPUT}" "${content}")
