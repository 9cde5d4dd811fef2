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

  /** Of several, in milliseconds. */
  public record Times(double median, double most) {}

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
    json.putObject("changedMillis")
        .put("median", changedMillis.median())
        .put("most", changedMillis.most());
    json.putObject("lookedMillis")
        .put("median", lookedMillis.median())
        .put("most", lookedMillis.most());
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
    text.append(
        line(
            "one changed file, told by a watch: median %.1f ms, most %.1f ms; %d pages changed in"
                + " all",
            changedMillis.median(), changedMillis.most(), changedPages));
    text.append(
        line(
            "one changed file, the tree looked through: median %.1f ms, most %.1f ms",
            lookedMillis.median(), lookedMillis.most()));
    text.append(line("heap that the mapping keeps: %.0f MB", heldBytes / 1e6));
    return text.toString().stripTrailing();
  }

  private static String line(String format, Object... values) {
    return String.format(Locale.ROOT, format, values) + "\n";
  }
}
