package dev.colony.cli.terminal;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A table for people: a line of names, then a line a row, each column as wide as its widest cell.
 * Numbers stand to the right. Nothing in it acts on the terminal.
 */
public final class Table {

  private final List<String> names;
  private final List<List<Object>> rows = new ArrayList<>();

  public Table(String... names) {
    this.names = List.of(names);
  }

  /** Adds a row with a cell a column; what is no number is shown as text. */
  public Table row(Object... cells) {
    rows.add(List.of(cells));
    return this;
  }

  /** Adds a line about the row before it. */
  public void note(String line) {
    rows.add(List.of("  " + line));
  }

  /** All lines, without white space at their ends. */
  public String text() {
    List<Integer> widths = IntStream.range(0, names.size()).mapToObj(this::width).toList();
    List<String> lines = new ArrayList<>();
    lines.add(line(List.copyOf(names), widths));
    rows.forEach(
        row -> lines.add(row.size() == names.size() ? line(row, widths) : text(row.getFirst())));
    return String.join(System.lineSeparator(), lines);
  }

  private int width(int column) {
    return rows.stream()
        .filter(row -> row.size() == names.size())
        .mapToInt(row -> text(row.get(column)).length())
        .reduce(names.get(column).length(), Math::max);
  }

  private static String line(List<?> cells, List<Integer> widths) {
    return IntStream.range(0, cells.size())
        .mapToObj(column -> {
          Object cell = cells.get(column);
          String blank = " ".repeat(widths.get(column) - text(cell).length());
          return cell instanceof Number ? blank + text(cell) : text(cell) + blank;
        })
        .collect(Collectors.joining("  "))
        .stripTrailing();
  }

  private static String text(Object cell) {
    return cell instanceof Number number
        ? String.format(Locale.ROOT, "%d", number.longValue())
        : Printable.of(cell.toString());
  }
}
