package dev.colony.vcm.mapping;

import dev.colony.vcm.mapping.Declarations.Declaration;
import dev.colony.vcm.mapping.PassageRanker.RankFusion;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

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

  /**
   * What a name adds whose words stand in the question one after the other, as much as the rankings
   * of files can give; a type that stands there itself gives its members twice as much, and a name
   * that stands there three times.
   */
  private static final double NAMED = 0.2;

  /** Declarations whose meaning is looked at, which takes some milliseconds each. */
  private static final int MEANT = 100;

  /** Of each, as many as small embedding models read. */
  private static final int MEANT_CHARS = 1_200;

  private static final Pattern PARTS = Pattern.compile("(?<=[\\p{Ll}\\d])(?=\\p{Lu})|[._]");

  private static final Pattern NAME = Pattern.compile("[\\p{L}_$][\\p{L}\\p{N}_$]*+");
  private static final Pattern IDENTIFIER = Pattern.compile("\\p{Ll}\\p{Lu}|\\p{L}_\\p{L}|\\d");

  /** Whether a question asks for a number. */
  static final Pattern ASKS_NUMBER =
      Pattern.compile(
          "(?i)\\b(?:how (?:many|much|long|often|far|late|large|big|old|fast|high)|what time"
              + "|defaults?|limits?|timeouts?|maximum|max|minimum|min|configures? nothing)\\b");

  /** Whether a line gives something a number. */
  static final Pattern GIVES_NUMBER =
      Pattern.compile("[=:(,]\\s*+-?\\d[\\d_.]*+[lLfFdD]?\\b|\\bdefault\\w*+\\W++\\d");

  private final String question;
  private final Optional<Meaning> meaning;
  private final Map<String, Double> rarities;
  private final boolean number;
  private final double all;
  private final Set<String> exact = new HashSet<>();
  private final Set<String> joined;

  /**
   * @param queries the question first
   * @param rarities of the stems of their words, by what of the text has them
   * @param meaning orders the first of them, too, where there is one
   */
  DeclarationRanker(List<String> queries, Map<String, Double> rarities, Optional<Meaning> meaning) {
    this.question = queries.getFirst();
    this.meaning = meaning;
    this.rarities = rarities;
    all = rarities.values().stream().mapToDouble(Double::doubleValue).sum();
    number = queries.stream().anyMatch(query -> ASKS_NUMBER.matcher(query).find());
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
  record Ranked<T>(Text<T> text, Declaration declaration, double score) {

    T part() {
      return text.part();
    }

    String path() {
      return text.path();
    }

    List<String> lines() {
      return text.lines();
    }

    Ranked<T> withScore(double other) {
      return new Ranked<>(text, declaration, other);
    }
  }

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
        if (number) {
          Declarations.numbers(text.path(), text.lines(), one).stream()
              .filter(this::told)
              .forEach(given -> all.add(counted(text, given, places)));
        }
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
      double named = named(one.declaration());
      if (scores[i] > 0 || named > 0) {
        double share = scores[i] / Math.max(best.get(one.text().path()), Double.MIN_NORMAL);
        ranked.add(
            new Ranked<>(
                one.text(), one.declaration(), one.text().score() * (share + given(one)) + named));
      }
    }
    ranked.sort(
        Comparator.<Ranked<T>>comparingDouble(Ranked::score)
            .reversed()
            .thenComparing(Ranked::path)
            .thenComparing(one -> one.declaration().first()));
    return meaning.map(one -> refined(ranked, one)).orElse(ranked);
  }

  /**
   * The first of what the question does not name in the order of two rankings, fused: this one, and
   * that by what they mean. The scores stay where they are, for they tell how far the search goes.
   */
  private <T> List<Ranked<T>> refined(List<Ranked<T>> ranked, Meaning meaning) {
    List<Integer> places =
        IntStream.range(0, ranked.size())
            .filter(at -> named(ranked.get(at).declaration()) == 0)
            .limit(MEANT)
            .boxed()
            .toList();
    if (places.isEmpty()) {
      return ranked;
    }
    List<Double> nearness =
        meaning.nearness(question, places.stream().map(at -> said(ranked.get(at))).toList());
    double[] words = new double[nearness.size()];
    double[] meant = new double[nearness.size()];
    for (int i = 0; i < nearness.size(); i++) {
      words[i] = nearness.size() - i;
      meant[i] = 2 + nearness.get(i);
    }
    Comparator<Integer> first = Comparator.naturalOrder();
    int[] order = RankFusion.ranked(RankFusion.fuse(List.of(words, meant), first), first);
    List<Ranked<T>> refined = new ArrayList<>(ranked);
    for (int i = 0; i < order.length; i++) {
      refined.set(
          places.get(i),
          ranked.get(places.get(order[i])).withScore(ranked.get(places.get(i)).score()));
    }
    return refined;
  }

  /** What a declaration says, its names in words and without the marks of comments. */
  private static String said(Ranked<?> one) {
    Declaration declared = one.declaration();
    String names = Passages.file(one.path()) + " " + declared.symbol();
    String lines = Declarations.plain(one.lines().subList(declared.first(), declared.last() + 1));
    String said = PARTS.matcher(names).replaceAll(" ").toLowerCase(Locale.ROOT) + ". " + lines;
    return dev.colony.blackboard.value.Text.head(said, MEANT_CHARS);
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

  /**
   * Where a number is asked for, the share of the question that the best line with one has; else 0.
   */
  private double given(Counted<?> one) {
    if (!number) {
      return 0;
    }
    double best = 0;
    for (int at = one.declaration().first(); at <= one.declaration().last(); at++) {
      String line = one.text().lines().get(at);
      if (GIVES_NUMBER.matcher(line).find()) {
        Set<String> stems = new HashSet<>(Words.stems(line));
        stems.retainAll(rarities.keySet());
        best = Math.max(best, stems.stream().mapToDouble(rarities::get).sum());
      }
    }
    return all == 0 ? 0 : best / all;
  }

  private double named(Declaration one) {
    String symbol = one.symbol();
    if (symbol.isEmpty() || symbol.indexOf(' ') >= 0) {
      return 0;
    }
    List<String> names = List.of(symbol.split("\\."));
    String name = names.getLast();
    if (exact.contains(name)) {
      return 3 * NAMED;
    }
    if (names.stream().anyMatch(exact::contains)) {
      return 2 * NAMED;
    }
    return joined.contains(name.replace("_", "").toLowerCase(Locale.ROOT))
            || number && GIVES_NUMBER.matcher(one.signature()).find() && told(one)
        ? NAMED
        : 0;
  }

  /** Whether the question has all words of a name of several. */
  private boolean told(Declaration one) {
    List<String> stems =
        Words.tellingStems(one.symbol().substring(one.symbol().lastIndexOf('.') + 1));
    return stems.size() > 2 && rarities.keySet().containsAll(stems.subList(1, stems.size()));
  }
}
