package dev.colony.vcm.words;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Lists of words that are resources beside a class. */
public final class WordLists {

  private WordLists() {}

  /**
   * A list's lines, comments and blank ones left out.
   *
   * @throws NullPointerException if there is no such list
   */
  public static List<String> lines(Class<?> beside, String resource) {
    try (InputStream in = beside.getResourceAsStream(resource);
        BufferedReader reader =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      return reader.lines().filter(line -> !line.isBlank() && !line.startsWith("#")).toList();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + resource, e);
    }
  }
}
