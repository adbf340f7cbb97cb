// Rows of cells as aligned text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kernelbatch {

/// Capabilities of the text's destination.
struct TextFormat {
  std::size_t width = 0;    ///< columns of the terminal; 0: unlimited
  bool has_colour = false;  ///< escape sequences are understood
};

enum class TextStyle : std::uint8_t { kPlain, kGood, kBad, kWarning, kFaint, kStrong };

/// `text` with the escape sequences of its style, if the format has colour.
std::string styled(std::string_view text, TextStyle style, const TextFormat& format);

/// Columns that text takes on a terminal: one per code point.
std::size_t columns_of(std::string_view text) noexcept;

/// The first `width` columns of a line; all of it if `width` is 0.
std::string cut(const std::string& line, std::size_t width);

/// `text` broken before words that would exceed `width` (0: unlimited).
std::string wrapped(std::string_view text, std::size_t width);

/// Rows of cells under a header; columns are as wide as their widest cell (in code points). Columns
/// of numbers are right-aligned.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : header_(std::move(header)) {}

  /// `styles`, if given, has one entry per cell.
  void add(std::vector<std::string> row, std::vector<TextStyle> styles = {});
  bool empty() const noexcept { return rows_.empty(); }
  std::size_t size() const noexcept { return rows_.size(); }

  /// Columns to drop, in this order, if wrapping is not enough.
  void drop_when_narrow(std::vector<std::size_t> columns) { droppable_ = std::move(columns); }
  /// Omits a column that is empty in every row.
  void drop_when_empty(std::size_t column);

  /// Columns of text whose cells are wrapped if the lines do not fit.
  void wrap(std::vector<std::size_t> columns) { wrapped_ = std::move(columns); }

  /// `right`: right-aligned columns. If lines are wider than the format, wrappable cells are
  /// wrapped; columns are dropped if these would become too narrow; then lines are cut. The last
  /// line names the dropped columns.
  std::string to_text(const std::vector<std::size_t>& right = {},
                      const TextFormat& format = {}) const;
  /// The header and each row separately, in one layout; a row with wrapped cells contains line
  /// ends.
  std::vector<std::string> to_lines(const std::vector<std::size_t>& right = {},
                                    const TextFormat& format = {}) const;
  /// A line that names the dropped columns; empty if there are none.
  std::string hidden_text(const TextFormat& format) const;

 private:
  struct Layout {
    std::vector<std::size_t> widths = {};  ///< of every column
    std::vector<std::size_t> shown = {},
                             hidden = {};  ///< columns; those without a value are neither
  };
  Layout layout(std::size_t width) const;

  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::vector<TextStyle>> styles_;
  std::vector<std::size_t> droppable_, wrapped_, empty_;
};

}  // namespace kernelbatch
