package dev.colony.bench.answers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The files of a tree that a key takes for right. */
final class RightFiles {

  private RightFiles() {}

  /** A reader that knows the keys of the questions, and what their right files hold. */
  static KeyedReader reader(
      List<KeyedQuestion> questions, Map<String, Path> folders, ReaderManner manner) {
    Map<String, KeyedQuestion> keys = new HashMap<>();
    Map<String, Map<String, List<String>>> files = new HashMap<>();
    for (KeyedQuestion one : questions) {
      keys.put(one.question(), one);
      files.put(one.question(), of(one, folders.get(one.corpus())));
    }
    return new KeyedReader(keys, files::get, manner);
  }

  /** The lines of each, by its path in the tree. */
  private static Map<String, List<String>> of(KeyedQuestion question, Path folder) {
    Map<String, List<String>> right = new TreeMap<>();
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        String path = folder.relativize(file).toString().replace('\\', '/');
        if (question.right(path)) {
          right.put(
              path, new String(Files.readAllBytes(file), StandardCharsets.UTF_8).lines().toList());
        }
      }
      return right;
    } catch (IOException unreadable) {
      throw new UncheckedIOException(folder + " cannot be read", unreadable);
    }
  }
}
