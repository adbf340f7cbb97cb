// Arithmetic text as a tree. One parser reads all expression languages; a language is a table of
// operators.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/source_place.hpp"

namespace kernelbatch {

/// One operator of a language.
struct ExpressionOperator {
  /// `kBeforeList`: infix, with a list in brackets to its right, `n in [1, 2]`.
  enum class Position : std::uint8_t { kPrefix, kInfix, kBeforeList };
  /// `kLeft`: a - b - c is (a - b) - c. `kRight`: a ^ b ^ c is a ^ (b ^ c), and the right side may
  /// begin with a prefix operator of the level just below, 2 ^ -1. `kChain`: a < b < c is one node.
  enum class Associativity : std::uint8_t { kLeft, kRight, kChain };

  std::string_view spelling;  ///< symbols, a word, or two words ("not in")
  std::string_view meaning;   ///< for the tree's user; two spellings may share one
  int precedence = 0;         ///< higher binds tighter; all operators of one level associate alike
  Position position = Position::kInfix;
  Associativity associativity = Associativity::kLeft;
};

/// An operator of another language, and the advice for it.
struct ForeignOperator {
  std::string_view spelling;
  std::string_view advice;  ///< "write 'and'"
};

/// A language of expressions. Data that it refers to must outlive its trees.
struct ExpressionLanguage {
  std::span<const ExpressionOperator> operators;
  std::span<const ForeignOperator> foreign;
  std::string_view context = "";  ///< prefix of messages
  /// Python syntax: several results `a, b`, tuples `(0, 1)`, options in calls `f(x, axis=1)`,
  /// members `(a + b).sum()`, which are calls of `.sum` with an additional operand.
  bool has_tuples = false;
};

/// One operand or operation. Numbers are not parsed here, since languages differ in their numbers.
struct ExpressionNode {
  enum class Kind : std::uint8_t {
    kNumber,
    kText,  ///< quoted; `word` is without the quotes
    kName,  ///< may have dots: x.size, x.shape[0]
    kUnary,
    kBinary,
    kChain,  ///< of at least three operands, with an operator between each two
    kCall,
    kOption,  ///< `word`=operand, in calls only
    kList,    ///< in brackets, right of an operator kBeforeList only
    kTuple,
  };

  Kind kind = Kind::kNumber;
  std::string word{};                   ///< number, text, name, (first) operator, function, option
  std::vector<std::size_t> operands{};  ///< indices into the tree
  std::size_t column = 0;               ///< of the word or the bracket in the text, from 0
  /// The operator of a unary or binary node; all operators of a chain from left to right.
  std::vector<const ExpressionOperator*> operators{};
  std::vector<std::size_t> operator_columns{};

  std::string_view meaning() const { return operators.front()->meaning; }
};

struct ExpressionTree {
  std::string text;
  SourcePlace place{};
  std::string_view context{};
  std::vector<ExpressionNode> nodes{};  ///< operands before their users
  std::vector<std::size_t> roots{};     ///< one; with tuples, one for each result

  const ExpressionNode& operator[](std::size_t index) const { return nodes[index]; }

  /// Throws SpecError: place, context, message, the text and a caret below the column.
  [[noreturn]] void fail(std::size_t column, std::string_view message) const;
};

/// Throws SpecError like ExpressionTree::fail() for text that is not an expression of the language,
/// for text of more than 10'000 characters, and for nesting deeper than 200 levels.
ExpressionTree parse_expression(const ExpressionLanguage& language, std::string text,
                                SourcePlace place = {});

}  // namespace kernelbatch
