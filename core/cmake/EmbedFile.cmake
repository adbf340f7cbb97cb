# Script mode: writes OUTPUT, a C++ source that defines NAMESPACE::NAME with INPUT's bytes.
# The assembler reads the bytes, so that a large image costs the compiler nothing; the hash makes a
# changed INPUT a changed source.
file(SIZE "${INPUT}" bytes)
file(SHA256 "${INPUT}" hash)
set(symbol "kernelbatch_embedded_${NAMESPACE}_${NAME}")
string(REPLACE "::" "_" symbol "${symbol}")
file(WRITE "${OUTPUT}"
"// ${INPUT}, sha256 ${hash}
#include <string_view>
__asm__(\".pushsection .rodata\\n.balign 16\\n.hidden ${symbol}\\n.globl ${symbol}\\n${symbol}:\\n\"
        \".incbin \\\"${INPUT}\\\"\\n.byte 0\\n.popsection\\n\");
extern \"C\" __attribute__((visibility(\"hidden\"))) const char ${symbol}[];
namespace ${NAMESPACE} {
extern const std::string_view ${NAME};
constinit const std::string_view ${NAME}{${symbol}, ${bytes}};
}  // namespace ${NAMESPACE}
")
