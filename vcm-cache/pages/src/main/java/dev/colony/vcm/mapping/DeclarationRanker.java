package dev.colony.vcm.mapping;

import dev.colony.vcm.mapping.Declarations.Declaration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Ranks what the best files declare by the words of a question. A file's best declaration has the
 * file's score, each other one a share of it by how its BM25 compares to the best one's; a
 * declaration whose name stands in the question comes before all others. Immutable.
 */
final class DeclarationRanker {

  private static final double SATURATION = 1.2;
  private static final double LENGTH = 0.75;

  /** What a word counts in a declaration's name, beside one in its lines. */
  private static final double IN_NAME = 4;

  /** What a name that stands in the question adds: more than the rankings of files can give. */
  private static final double NAMED = 10;

  private static final Pattern NAME = Pattern.compile("[\\p{L}_$][\\p{L}\\p{N}_$]*+");
  private static final Pattern IDENTIFIER = Pattern.compile("\\p{Ll}\\p{Lu}|\\p{L}_\\p{L}|\\d");

  private final Map<String, Double> rarities;
  private final Set<String> exact = new HashSet<>();
  private final Set<String> joined;

  /**
   * @param queries the question first
   * @param rarities of the stems of their words, by what of the text has them
   */
  DeclarationRanker(List<String> queries, Map<String, Double> rarities) {
    this.rarities = rarities;
    joined = Words.joinedNames(queries.getFirst());
    for (String query : queries) {
      Matcher names = NAME.matcher(query);
      while (names.find()) {
        boolean capital = names.start() > 0 && Character.isUpperCase(names.group().charAt(0));
        boolean called = query.startsWith("(", names.end());
        if (capital || called || IDENTIFIER.matcher(names.group()).find()) {
          exact.add(names.group());
        }
      }
    }
  }

  /**
   * Lines of a file that stand one after the other.
   *
   * @param part of the file, which is given back with what it declares
   * @param score of the file, more than 0
   */
  record Text<T>(T part, String path, double score, List<String> lines) {}

  /** A declaration of a file with what it scores. */
  record Ranked<T>(T part, String path, Declaration declaration, double score) {}

  private record Counted<T>(
      Text<T> text, Declaration declaration, double[] counts, double length) {}

  /** Those that have a word of the question, best first. */
  <T> List<Ranked<T>> rank(List<Text<T>> texts) {
    List<String> stems = List.copyOf(rarities.keySet());
    Map<String, Integer> places = new HashMap<>();
    stems.forEach(stem -> places.put(stem, places.size()));
    List<Counted<T>> all = new ArrayList<>();
    for (Text<T> text : texts) {
      for (Declaration one : Declarations.of(text.path(), text.lines())) {
        all.add(counted(text, one, places));
      }
    }
    double average = all.stream().mapToDouble(Counted::length).average().orElse(1);
    Map<String, Double> best = new HashMap<>();
    double[] scores = new double[all.size()];
    for (int i = 0; i < scores.length; i++) {
      scores[i] = score(all.get(i), stems, average);
      best.merge(all.get(i).text().path(), scores[i], Math::max);
    }
    List<Ranked<T>> ranked = new ArrayList<>();
    for (int i = 0; i < scores.length; i++) {
      Counted<T> one = all.get(i);
      double named = named(one.declaration().symbol());
      if (scores[i] > 0 || named > 0) {
        double share = scores[i] / Math.max(best.get(one.text().path()), Double.MIN_NORMAL);
        ranked.add(
            new Ranked<>(
                one.text().part(),
                one.text().path(),
                one.declaration(),
                one.text().score() * share + named));
      }
    }
    ranked.sort(
        Comparator.<Ranked<T>>comparingDouble(Ranked::score)
            .reversed()
            .thenComparing(Ranked::path)
            .thenComparing(one -> one.declaration().first()));
    return ranked;
  }

  private static <T> Counted<T> counted(
      Text<T> text, Declaration declaration, Map<String, Integer> places) {
    double[] counts = new double[places.size()];
    double[] length = {0};
    String body =
        String.join("\n", text.lines().subList(declaration.first(), declaration.last() + 1));
    count(body, 1, places, counts, length);
    count(declaration.symbol(), IN_NAME, places, counts, length);
    return new Counted<>(text, declaration, counts, length[0]);
  }

  private static void count(
      String text, double weight, Map<String, Integer> places, double[] counts, double[] length) {
    Words.scanTelling(
        text,
        (stem, start, end) -> {
          length[0] += weight;
          Integer place = places.get(stem.toString());
          if (place != null) {
            counts[place] += weight;
          }
        });
  }

  private double score(Counted<?> one, List<String> stems, double average) {
    double norm = SATURATION * (1 - LENGTH + LENGTH * one.length() / Math.max(1, average));
    double score = 0;
    for (int i = 0; i < stems.size(); i++) {
      double count = one.counts()[i];
      score += rarities.get(stems.get(i)) * count * (SATURATION + 1) / (count + norm);
    }
    return score;
  }

  private double named(String symbol) {
    if (symbol.isEmpty() || symbol.indexOf(' ') >= 0) {
      return 0;
    }
    String name = symbol.substring(symbol.lastIndexOf('.') + 1);
    if (exact.contains(name)) {
      int dot = symbol.lastIndexOf('.');
      String around =
          symbol.substring(symbol.lastIndexOf('.', Math.max(0, dot - 1)) + 1, Math.max(0, dot));
      return exact.contains(around) ? 3 * NAMED : 2 * NAMED;
    }
    return joined.contains(name.replace("_", "").toLowerCase(Locale.ROOT)) ? NAMED : 0;
  }
}
