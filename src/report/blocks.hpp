#pragma once
// What a report is made of, before anyone has decided how it looks: a headline, tables, lists.
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace feedrate::report {

/// What a piece of text means to the reader. Colour follows it; words and symbols say it too.
enum class Tone { plain, good, bad, caution, faint };

struct Cell {
  std::string text;
  Tone tone = Tone::plain;
  std::optional<double> bar;  ///< 0…1, drawn behind the text where bars can be drawn

  Cell() = default;
  Cell(std::string words, Tone meaning = Tone::plain) : text(std::move(words)), tone(meaning) {}
  Cell(const char* words) : text(words) {}
  static Cell with_bar(std::string words, double share) {
    Cell cell(std::move(words));
    cell.bar = share;
    return cell;
  }
  bool operator==(const Cell&) const = default;
};

enum class Align { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
  bool spare = false;  ///< may be left out, and named, where a window is too narrow for all
};

struct Row {
  std::vector<Cell> cells;  ///< may be shorter than the columns: the rest is empty
  bool marked = false;      ///< the row to look at; gets a symbol in front
};

struct Table {
  std::string title;
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::string note;  ///< what the marks mean
};

struct Paragraph {
  std::string text;
  Tone tone = Tone::plain;
};

struct List {
  std::string title;
  std::vector<std::string> items;
};

/// What a reader looks for by its name: "cost", and what is said of it, without a full stop.
struct Fact {
  std::string label;
  std::string text;
};

struct Facts {
  std::vector<Fact> items;
};

/// Opens a part of a long report.
struct Heading {
  std::string text;
};

using Block = std::variant<Paragraph, Table, List, Heading, Facts>;

struct Report {
  std::string title;   ///< names what was run; the first thing
  Paragraph headline;  ///< one sentence to act on
  std::vector<Block> blocks;
  bool close = false;  ///< title, headline and the first block stand line by line, as text

  /// At the end. Paragraphs without words, tables without rows and lists without items are left
  /// out: they have nothing to say.
  void add(Block block);
  void add(std::string words, Tone tone = Tone::plain) { add(Paragraph{std::move(words), tone}); }
};

}  // namespace feedrate::report
