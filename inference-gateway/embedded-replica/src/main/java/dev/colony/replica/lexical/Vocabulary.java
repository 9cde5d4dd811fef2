package dev.colony.replica.lexical;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What the model knows beforehand: how common words are in source code at large, which words carry
 * no content in a question, and which words programmers use for one another.
 */
final class Vocabulary {

  private static final Set<String> STOP_WORDS = new HashSet<>(words("stopwords.txt"));
  private static final double RAREST = 6;
  private static final Map<String, Double> RARITY = rarity();

  private static final Map<String, Set<String>> RELATED = related();

  private Vocabulary() {}

  /** Whether the word, in lower case and not stemmed, carries no content. */
  static boolean isStopWord(String word) {
    return STOP_WORDS.contains(word);
  }

  /** Inverse document frequency of a stem in source code at large; unseen stems are the rarest. */
  static double rarity(String stem) {
    return RARITY.getOrDefault(stem, RAREST);
  }

  /** WordFamilies that programmers use for the given family, itself left out. */
  static Set<String> related(String family) {
    return RELATED.getOrDefault(family, Set.of());
  }

  private static Map<String, Double> rarity() {
    Map<String, Double> rarity = new HashMap<>();
    double passages = 0;
    for (String line : Resources.lines("frequencies.txt")) {
      String[] entry = line.split(" ");
      double count = Double.parseDouble(entry[1]);
      if (entry[0].equals("*")) {
        passages = count;
      } else {
        rarity.put(entry[0], Math.min(RAREST, Math.log(1 + passages / count)));
      }
    }
    return rarity;
  }

  private static Map<String, Set<String>> related() {
    Map<String, Set<String>> related = new HashMap<>();
    for (String line : Resources.lines("thesaurus.txt")) {
      Set<String> group = new HashSet<>();
      for (String stem : Words.stems(line)) {
        group.add(WordFamilies.of(stem));
      }
      for (String family : group) {
        Set<String> others = related.computeIfAbsent(family, f -> new HashSet<>());
        others.addAll(group);
        others.remove(family);
      }
    }
    return related;
  }

  private static List<String> words(String resource) {
    return Resources.lines(resource).stream().flatMap(line -> Stream.of(line.split(" +"))).toList();
  }
}
