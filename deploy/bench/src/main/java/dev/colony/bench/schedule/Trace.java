package dev.colony.bench.schedule;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * A trace of requests whose prompts are lists of chained blocks, one JSON object a line, maybe
 * compressed with gzip (then its name ends with {@code .gz}). The form is Mooncake's, with sessions
 * and dependencies added: a request that depends on others comes after them.
 *
 * @param name for a person
 * @param sessions whether requests belong to sessions, as those of agents do
 * @param requests how many there are
 */
record Trace(Path file, String name, boolean sessions, int requests) {

  static final ObjectMapper JSON = JsonMapper.builder().build();

  /**
   * Reads a trace to its end.
   *
   * @throws UncheckedIOException if it cannot be read; the message names it
   * @throws IllegalArgumentException if a line is no request; the message is one line that names it
   */
  static Trace open(Path file) {
    List<ObjectNode> requests = read(file);
    boolean sessions = requests.stream().anyMatch(one -> one.path("session_id").isTextual());
    return new Trace(file, file.getFileName().toString(), sessions, requests.size());
  }

  /** All requests of a trace, in their order. */
  static List<ObjectNode> read(Path file) {
    List<ObjectNode> requests = new ArrayList<>();
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(stream(file), StandardCharsets.UTF_8))) {
      int number = 0;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        number++;
        if (!line.isBlank()) {
          requests.add(request(file, number, line));
        }
      }
    } catch (IOException unreadable) {
      throw new UncheckedIOException(file + " cannot be read", unreadable);
    }
    if (requests.isEmpty()) {
      throw new IllegalArgumentException(file + " has no requests: give a trace of JSON lines");
    }
    return requests;
  }

  private static InputStream stream(Path file) throws IOException {
    InputStream stream = Files.newInputStream(file);
    try {
      return compressed(file) ? new GZIPInputStream(stream, 1 << 16) : stream;
    } catch (IOException notCompressed) {
      stream.close();
      throw notCompressed;
    }
  }

  private static boolean compressed(Path file) {
    return file.getFileName().toString().endsWith(".gz");
  }

  private static ObjectNode request(Path file, int number, String line) {
    JsonNode read;
    try {
      read = JSON.readTree(line);
    } catch (JsonProcessingException broken) {
      throw no(file, number, broken.getOriginalMessage());
    }
    if (!(read instanceof ObjectNode request)) {
      throw no(file, number, "it is no JSON object");
    }
    if (!request.path("input_length").isIntegralNumber()) {
      throw no(file, number, "it has no input_length");
    }
    if (!request.path("hash_ids").isArray()) {
      throw no(file, number, "it has no list of hash_ids");
    }
    return request;
  }

  private static IllegalArgumentException no(Path file, int line, String why) {
    return new IllegalArgumentException(
        "line %d of %s is no request: %s"
            .formatted(line, file, why.lines().findFirst().orElse("")));
  }

  /** Writes requests as a trace, compressed where the file's name says so. */
  static void write(Path file, List<ObjectNode> requests) throws IOException {
    try (BufferedWriter out =
        new BufferedWriter(
            new OutputStreamWriter(
                compressed(file)
                    ? new GZIPOutputStream(Files.newOutputStream(file))
                    : Files.newOutputStream(file),
                StandardCharsets.UTF_8))) {
      for (ObjectNode request : requests) {
        out.write(request.toString());
        out.write('\n');
      }
    }
  }
}
