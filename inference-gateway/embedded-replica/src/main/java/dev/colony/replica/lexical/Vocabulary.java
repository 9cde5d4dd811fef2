package dev.colony.replica.lexical;

import dev.colony.vcm.words.WordLists;
import dev.colony.vcm.words.Words;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What the model knows beforehand: how common words are in source code at large, and which words
 * programmers use for one another.
 */
final class Vocabulary {

  private static final double RAREST = 6;
  private static final Map<String, Double> RARITY = rarity();

  private static final Map<String, Set<String>> RELATED = related();

  private Vocabulary() {}

  /** Inverse document frequency of a stem in source code at large; unseen stems are the rarest. */
  static double rarity(String stem) {
    return RARITY.getOrDefault(stem, RAREST);
  }

  /** Word families that programmers use for the given family, itself left out. */
  static Set<String> related(String family) {
    return RELATED.getOrDefault(family, Set.of());
  }

  private static Map<String, Double> rarity() {
    Map<String, Double> rarity = new HashMap<>();
    double passages = 0;
    for (String line : WordLists.lines(Vocabulary.class, "frequencies.txt")) {
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
    for (String line : WordLists.lines(Vocabulary.class, "thesaurus.txt")) {
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
}
