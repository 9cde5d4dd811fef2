package dev.colony.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;

/**
 * Recorded loads as files of JSON, one value a line in UTF-8, compressed with gzip where the file's
 * name ends in {@code .gz}.
 */
public final class JsonLines {

  /** Of the values of such files, and of reports. */
  public static final ObjectMapper JSON = JsonMapper.builder().build();

  private static final int BUFFER_BYTES = 1 << 16;

  private JsonLines() {}

  /**
   * Reads line after line; blank ones count as lines, but have no value.
   *
   * @param most values that are read; 0 for all
   * @param each is given each value; an {@link IllegalArgumentException} of it says why the value
   *     is not what it has to be
   * @throws IOException if the file cannot be read
   * @throws IllegalArgumentException if a line is no JSON or is refused; names file, line and
   *     reason in one line
   */
  public static void read(Path file, int most, Consumer<JsonNode> each) throws IOException {
    int number = 0;
    int read = 0;
    try (InputStream bytes = Files.newInputStream(file);
        BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(
                    compressed(file) ? new GZIPInputStream(bytes, BUFFER_BYTES) : bytes,
                    StandardCharsets.UTF_8))) {
      for (String line = lines.readLine();
          line != null && (most == 0 || read < most);
          line = lines.readLine()) {
        number++;
        if (!line.isBlank()) {
          each.accept(JSON.readTree(line));
          read++;
        }
      }
    } catch (JsonProcessingException broken) {
      throw refused(file, number, broken.getOriginalMessage(), broken);
    } catch (IllegalArgumentException wrong) {
      throw refused(file, number, wrong.getMessage(), wrong);
    }
  }

  private static IllegalArgumentException refused(
      Path file, int line, String why, Exception cause) {
    return new IllegalArgumentException(
        "%s, line %d: %s".formatted(file, line, why.lines().findFirst().orElse("")), cause);
  }

  private static boolean compressed(Path file) {
    return file.getFileName().toString().endsWith(".gz");
  }
}
