package dev.colony.replica.lexical;

import dev.colony.vcm.mapping.Words;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Makes {@code frequencies.txt}: in how many passages of twenty lines each stem occurs. Run it over
 * sources that no test asks about: {@code java ... WordFrequencies DIR... > frequencies.txt}.
 */
final class WordFrequencies {

  private static final int PASSAGE_LINES = 20;
  private static final int KEPT = 4000;

  private WordFrequencies() {}

  public static void main(String[] directories) throws IOException {
    Map<String, Integer> passagesWith = new HashMap<>();
    int passages = 0;
    for (String directory : directories) {
      List<Path> files;
      try (Stream<Path> walk = Files.walk(Path.of(directory))) {
        files = walk.filter(p -> p.toString().matches(".*\\.(java|scala)")).sorted().toList();
      }
      for (Path file : files) {
        List<String> lines = lines(file);
        for (int at = 0; at < lines.size(); at += PASSAGE_LINES) {
          int end = Math.min(lines.size(), at + PASSAGE_LINES);
          Set<String> stems = new HashSet<>(Words.stems(String.join("\n", lines.subList(at, end))));
          stems.forEach(stem -> passagesWith.merge(stem, 1, Integer::sum));
          passages++;
        }
      }
    }
    System.out.println("# Passages of source code with each stem; * is all passages.");
    System.out.println("* " + passages);
    passagesWith.entrySet().stream()
        .filter(e -> e.getKey().matches("[a-z]{2,20}"))
        .sorted(
            Map.Entry.<String, Integer>comparingByValue()
                .reversed()
                .thenComparing(Map.Entry.comparingByKey()))
        .limit(KEPT)
        .forEach(e -> System.out.println(e.getKey() + " " + e.getValue()));
  }

  private static List<String> lines(Path file) throws IOException {
    try {
      return Files.readAllLines(file);
    } catch (MalformedInputException e) {
      return List.of();
    }
  }
}
