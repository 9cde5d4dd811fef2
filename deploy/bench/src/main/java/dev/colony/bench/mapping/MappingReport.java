package dev.colony.bench.mapping;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Locale;

/**
 * What mapping a tree took.
 *
 * @param mappings of the whole tree, each by a mapping of its own
 * @param changedMillis of mapping again after one file changed that a watch has told of
 * @param lookedMillis of the same where nothing has told which file
 * @param heldBytes of heap that the mapping keeps between two mappings, the vocabulary included
 */
public record MappingReport(
    int files,
    long bytes,
    long lines,
    int pages,
    List<MappingReport.Took> mappings,
    Times changedMillis,
    Times lookedMillis,
    int changedPages,
    long heldBytes) {

  /**
   * What one mapping took.
   *
   * @param processorSeconds of all threads; 0 where the system does not tell
   */
  public record Took(double seconds, double processorSeconds) {}

  /**
   * Of several, in milliseconds.
   *
   * @param processors median of what all threads took; 0 where the system does not tell
   */
  public record Times(double median, double most, double processors) {

    private void put(ObjectNode json) {
      json.put("median", median).put("most", most).put("processors", processors);
    }

    private String toText() {
      return String.format(
          Locale.ROOT,
          "median %.1f ms, most %.1f ms; %.1f ms of processors",
          median,
          most,
          processors);
    }
  }

  private double megabytes() {
    return bytes / 1e6;
  }

  /** One object. */
  public String toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("files", files).put("bytes", bytes).put("lines", lines).put("pages", pages);
    mappings.forEach(took ->
        json.withArray("mappings")
            .addObject()
            .put("seconds", took.seconds())
            .put("processorSeconds", took.processorSeconds()));
    changedMillis.put(json.putObject("changedMillis"));
    lookedMillis.put(json.putObject("lookedMillis"));
    return json.put("changedPages", changedPages).put("heldBytes", heldBytes).toString();
  }

  /** Some lines. */
  public String toText() {
    StringBuilder text = new StringBuilder();
    text.append(line("%d files, %d lines, %.1f MB, %d pages", files, lines, megabytes(), pages));
    for (Took took : mappings) {
      text.append(
          line(
              "mapped in %.2f s: %.1f MB/s; %.2f s of processors: %.1f MB/s of each",
              took.seconds(),
              megabytes() / took.seconds(),
              took.processorSeconds(),
              megabytes() / took.processorSeconds()));
    }
    text.append(line("one changed file, told by a watch: %s", changedMillis.toText()));
    text.append(line("one changed file, the tree looked through: %s", lookedMillis.toText()));
    text.append(line("pages made anew by all these changes: %d", changedPages));
    text.append(line("heap that the mapping keeps: %.0f MB", heldBytes / 1e6));
    return text.toString().stripTrailing();
  }

  private static String line(String format, Object... values) {
    return String.format(Locale.ROOT, format, values) + "\n";
  }
}
