// Rows of cells as aligned text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kernelbatch {

/// What the text is for.
struct TextFormat {
  std::size_t width = 0;    ///< columns of the terminal; 0: lines may be of any length
  bool has_colour = false;  ///< are escape sequences understood?
};

enum class TextStyle : std::uint8_t { kPlain, kGood, kBad, kWarning, kFaint, kStrong };

/// `text` between the escape sequences of its style, where the format has colour.
std::string styled(std::string_view text, TextStyle style, const TextFormat& format);

/// Columns that text takes on a terminal: one per code point.
std::size_t columns_of(std::string_view text) noexcept;

/// The first `width` columns of a line; all of it where `width` is 0.
std::string cut(const std::string& line, std::size_t width);

/// `text` with line ends before words that would pass `width` (0: none).
std::string wrapped(std::string_view text, std::size_t width);

/// Rows of cells under a header, columns as wide as their widest cell (in code points). Numbers'
/// columns are aligned to the right.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : header_(std::move(header)) {}

  /// Styles, where given, are one per cell.
  void add(std::vector<std::string> row, std::vector<TextStyle> styles = {});
  bool empty() const noexcept { return rows_.empty(); }
  std::size_t size() const noexcept { return rows_.size(); }

  /// Columns that go, the first of them first, where the lines do not fit.
  void drop_when_narrow(std::vector<std::size_t> columns) { droppable_ = std::move(columns); }
  /// Leaves out a column that says nothing in any row.
  void drop_when_empty(std::size_t column);

  /// Columns of text: where the lines still do not fit, their cells take several lines.
  void wrap(std::vector<std::size_t> columns) { wrapped_ = std::move(columns); }

  /// `right` names the columns that are aligned to the right. Where lines are wider than the
  /// format, columns go that may, then cells are wrapped that may be, then lines are cut. The last
  /// line names the columns that are gone.
  std::string to_text(const std::vector<std::size_t>& right = {},
                      const TextFormat& format = {}) const;
  /// The header and each row apart, all of one layout; a row with wrapped cells has line ends in
  /// it.
  std::vector<std::string> to_lines(const std::vector<std::size_t>& right = {},
                                    const TextFormat& format = {}) const;
  /// A line that names the columns that do not fit; empty where all do.
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
