package dev.colony.bench.engine;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPInputStream;

/**
 * Recorded requests and what was decided of each.
 *
 * @param calls by number, from 0
 * @param decisions in the order of the calls
 */
public record Recording(List<TracedCall> calls, List<Decision> decisions) {

  private static final ObjectMapper JSON = new ObjectMapper();

  public Recording {
    calls = List.copyOf(calls);
    decisions = List.copyOf(decisions);
  }

  /**
   * Reads both, of JSON lines, compressed where the name ends in {@code .gz}.
   *
   * @param limit how many requests are read; 0 for all
   * @param speed that arrivals come faster by
   * @throws IOException if a file cannot be read
   * @throws IllegalArgumentException if a line is not what it has to be, or a request has no
   *     decision; names file and line
   */
  public static Recording read(Path trace, Path decided, int limit, double speed)
      throws IOException {
    List<TracedCall> calls = new ArrayList<>();
    lines(trace, limit, line -> calls.add(TracedCall.of(line, speed)));
    Decision[] decisions = new Decision[calls.size()];
    lines(
        decided,
        0,
        line -> {
          int number = line.path("i").asInt(-1);
          if (number < 0) {
            throw new IllegalArgumentException("no decision: i is wanted");
          }
          if (number < decisions.length) {
            decisions[number] = Decision.of(line);
          }
        });
    int missing = Arrays.asList(decisions).indexOf(null);
    if (missing >= 0) {
      throw new IllegalArgumentException(
          decided + " has no decision for request " + missing + " of " + trace);
    }
    return new Recording(calls, Arrays.asList(decisions));
  }

  /** What is done with a line. */
  private interface Reader {
    void read(JsonNode line);
  }

  private static void lines(Path file, int limit, Reader reader) throws IOException {
    int number = 0;
    int read = 0;
    try (InputStream in = Files.newInputStream(file);
        BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(
                    file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in,
                    StandardCharsets.UTF_8))) {
      for (String line = lines.readLine();
          line != null && (limit == 0 || read < limit);
          line = lines.readLine()) {
        number++;
        if (!line.isBlank()) {
          reader.read(JSON.readTree(line));
          read++;
        }
      }
    } catch (JsonProcessingException bad) {
      throw new IllegalArgumentException(
          "%s, line %d: %s".formatted(file, number, bad.getOriginalMessage()), bad);
    } catch (IllegalArgumentException bad) {
      throw new IllegalArgumentException(
          "%s, line %d: %s".formatted(file, number, bad.getMessage()), bad);
    }
  }

  /** The largest replica that anything was sent to. */
  int lastReplica() {
    return decisions.stream().mapToInt(Decision::replica).max().orElse(0);
  }
}
