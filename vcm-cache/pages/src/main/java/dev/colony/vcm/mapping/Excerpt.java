package dev.colony.vcm.mapping;

import dev.colony.blackboard.value.Text;
import dev.colony.vcm.mapping.Declarations.Declaration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Chooses the lines of a declaration that are shown of it: the one that declares it and those that
 * have most of the question's words. Where the question asks for a number, lines that give one come
 * first. Immutable.
 */
public final class Excerpt {

  /** Lines that are shown of a place. */
  public static final int LINES = 6;

  /** What is shown of a line; of a longer one the part with the first of the words. */
  private static final int LINE_CHARS = 160;

  /** What a longer line has left before the first of the words. */
  private static final int BEFORE_WORD = 40;

  /** What a line that gives a number counts where the question asks for one. */
  private static final double GIVEN = 2;

  private static final String TAB = "    ";

  private final Map<String, Double> rarities;
  private final boolean number;

  /**
   * @param rarities how much each stem of the question's words tells
   */
  Excerpt(String question, Map<String, Double> rarities) {
    this.rarities = rarities;
    this.number = DeclarationRanker.ASKS_NUMBER.matcher(question).find();
  }

  /**
   * A line that is shown.
   *
   * @param number from 1
   * @param text tabs as spaces; of a long line a part, with an ellipsis where something is left out
   * @param highlights where the question's words stand in the text, in its order
   */
  public record Line(int number, String text, List<Range> highlights) {}

  /** Characters of a line, from the first to before the end. */
  public record Range(int start, int end) {}

  List<Line> of(List<String> file, Declaration declared) {
    double[] weights =
        IntStream.rangeClosed(declared.first(), declared.last())
            .mapToDouble(at -> weight(file.get(at)))
            .toArray();
    Set<Integer> chosen = new TreeSet<>();
    if (!declared.symbol().isEmpty()) {
      chosen.add(declared.at());
    }
    List<Integer> strongest =
        IntStream.range(0, weights.length)
            .filter(at -> weights[at] > 0)
            .boxed()
            .sorted(Comparator.comparingDouble(at -> -weights[at]))
            .map(at -> declared.first() + at)
            .toList();
    strongest.stream().limit(LINES).filter(at -> chosen.size() < LINES).forEach(chosen::add);
    if (chosen.isEmpty()) {
      chosen.add(declared.at());
    }
    return chosen.stream().map(at -> shown(at + 1, file.get(at))).toList();
  }

  private double weight(String line) {
    Set<String> stems = new HashSet<>(Words.stems(line));
    stems.retainAll(rarities.keySet());
    double weight = stems.stream().mapToDouble(rarities::get).sum();
    return number && DeclarationRanker.GIVES_NUMBER.matcher(line).find() ? GIVEN * weight : weight;
  }

  private Line shown(int number, String line) {
    String text = line.replace("\t", TAB).stripTrailing();
    List<Range> ranges = ranges(text);
    if (text.length() <= LINE_CHARS) {
      return new Line(number, text, ranges);
    }
    int word = ranges.isEmpty() ? 0 : ranges.getFirst().start();
    int from = word + 1 < LINE_CHARS - BEFORE_WORD ? 0 : whole(text, word - BEFORE_WORD);
    int to = whole(text, Math.min(text.length(), from + LINE_CHARS));
    String before = from > 0 ? "…" : "";
    String part = before + text.substring(from, to) + (to < text.length() ? "…" : "");
    int moved = before.length() - from;
    return new Line(
        number,
        part,
        ranges.stream()
            .filter(range -> range.start() >= from && range.end() <= to)
            .map(range -> new Range(range.start() + moved, range.end() + moved))
            .toList());
  }

  /** The same place, or the one before it where that would cut a character. */
  private static int whole(String text, int at) {
    return Text.head(text, at).length();
  }

  private List<Range> ranges(String text) {
    List<Range> ranges = new ArrayList<>();
    Words.scan(
        text,
        (stem, start, end) -> {
          boolean within = !ranges.isEmpty() && ranges.getLast().end() > start;
          if (!within && rarities.containsKey(stem.toString())) {
            ranges.add(new Range(start, end));
          }
        });
    return List.copyOf(ranges);
  }
}
