package dev.colony.bench;

import dev.colony.bench.KeyedQuestion.Found;
import dev.colony.bench.Trees.Tree;
import dev.colony.vcm.mapping.Words;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A plain way to look for the answer in a tree, to hold others against: it names the best five
 * files, each with its best line.
 */
sealed interface Baseline {

  List<Found> ask(String question);

  int FILES = 5;

  Pattern IDENTIFIER = Pattern.compile("[A-Za-z][A-Za-z0-9]*|[0-9]+");
  Pattern PART = Pattern.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+");

  /** A text's identifiers in their parts, and whole where they have several; in lower case. */
  private static List<String> words(String text) {
    List<String> words = new ArrayList<>();
    Matcher identifiers = IDENTIFIER.matcher(text);
    while (identifiers.find()) {
      Matcher parts = PART.matcher(identifiers.group());
      int many = 0;
      while (parts.find()) {
        words.add(parts.group().toLowerCase(Locale.ROOT));
        many++;
      }
      if (many > 1) {
        words.add(identifiers.group().toLowerCase(Locale.ROOT));
      }
    }
    return words;
  }

  private static Set<String> asked(String question) {
    Set<String> words = new LinkedHashSet<>(words(question));
    words.removeIf(Words::isStopWord);
    return words;
  }

  private static Found best(String file, List<String> lines, ToDoubleFunction<String> weight) {
    int best = 0;
    double most = -1;
    for (int at = 0; at < lines.size(); at++) {
      double own = weight.applyAsDouble(lines.get(at));
      if (own > most) {
        most = own;
        best = at;
      }
    }
    return new Found(file, best + 1, lines.isEmpty() ? "" : lines.get(best));
  }

  /** A file with what it scores. */
  record Scored(String file, double score) {}

  private static List<String> firstFiles(List<Scored> scored) {
    return scored.stream()
        .filter(one -> one.score() > 0)
        .sorted(Comparator.comparingDouble(Scored::score).reversed().thenComparing(Scored::file))
        .limit(FILES)
        .map(Scored::file)
        .toList();
  }

  /** BM25 over whole files, words as they are written (k1 1.2, b 0.75). */
  final class Bm25 implements Baseline {

    private static final double SATURATION = 1.2;
    private static final double LENGTH = 0.75;

    private record Counted(Map<String, Integer> counts, int length) {}

    private final Tree tree;
    private final Map<String, Counted> files = new HashMap<>();
    private final Map<String, Integer> having = new HashMap<>();
    private final double average;

    Bm25(Tree tree) {
      this.tree = tree;
      tree.files()
          .forEach((file, lines) -> {
            Map<String, Integer> counts = new HashMap<>();
            List<String> all = words(file);
            lines.forEach(line -> all.addAll(words(line)));
            all.forEach(word -> counts.merge(word, 1, Integer::sum));
            counts.keySet().forEach(word -> having.merge(word, 1, Integer::sum));
            files.put(file, new Counted(counts, all.size()));
          });
      average = files.values().stream().mapToInt(Counted::length).average().orElse(1);
    }

    private double rarity(String word) {
      int many = having.getOrDefault(word, 0);
      return Math.log(1 + (files.size() - many + 0.5) / (many + 0.5));
    }

    @Override
    public List<Found> ask(String question) {
      Set<String> asked = asked(question);
      List<Scored> scored = new ArrayList<>();
      files.forEach((file, counted) -> {
        double norm = SATURATION * (1 - LENGTH + LENGTH * counted.length() / average);
        double score = 0;
        for (String word : asked) {
          int count = counted.counts().getOrDefault(word, 0);
          score += rarity(word) * count * (SATURATION + 1) / (count + norm);
        }
        scored.add(new Scored(file, score));
      });
      return firstFiles(scored).stream()
          .map(file -> best(file, tree.files().get(file), line -> weight(line, asked)))
          .toList();
    }

    private double weight(String line, Set<String> asked) {
      return new HashSet<>(words(line))
          .stream().filter(asked::contains).mapToDouble(this::rarity).sum();
    }
  }

  /** What a search for each word would count: different words in a file first, then all hits. */
  final class Grep implements Baseline {

    private final Tree tree;
    private final Map<String, String> texts = new HashMap<>();

    Grep(Tree tree) {
      this.tree = tree;
      tree.files()
          .forEach(
              (file, lines) -> texts.put(file, String.join("\n", lines).toLowerCase(Locale.ROOT)));
    }

    @Override
    public List<Found> ask(String question) {
      Set<String> asked = asked(question);
      List<Scored> scored = new ArrayList<>();
      texts.forEach((file, text) -> {
        int distinct = 0;
        long hits = 0;
        for (String word : asked) {
          int own = count(text, word);
          distinct += own > 0 ? 1 : 0;
          hits += own;
        }
        scored.add(new Scored(file, distinct + hits / (double) (1L << 40)));
      });
      return firstFiles(scored).stream()
          .map(file -> best(file, tree.files().get(file), line -> distinct(line, asked)))
          .toList();
    }

    private static int count(String text, String word) {
      int count = 0;
      for (int at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length())) {
        count++;
      }
      return count;
    }

    private static long distinct(String line, Set<String> asked) {
      String lower = line.toLowerCase(Locale.ROOT);
      return asked.stream().filter(lower::contains).count();
    }
  }
}
