package dev.colony.bench.board;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.bench.load.Figures;
import java.util.Locale;

/**
 * What it costs that a write counts as stored only when replicas have it.
 *
 * @param redisVersion of the servers
 * @param replicas that there are, and that are waited for
 * @param alone the writes that wait for none of them
 * @param waited those that wait for all
 */
public record ReplicaReport(
    BoardLoad load, String redisVersion, int replicas, FullLoad alone, FullLoad waited) {

  /** Whether every acknowledged write is there and every event arrived once. */
  public boolean whole() {
    return alone.tally().plus(waited.tally()).whole();
  }

  /** The part of the writes a second that is left. */
  double ratio() {
    return waited.writesPerSecond() / alone.writesPerSecond();
  }

  /** One object on one line. */
  public String toJson() {
    ObjectNode json =
        JsonNodeFactory.instance
            .objectNode()
            .put("clients", load.clients())
            .put("ops", load.ops())
            .put("valueBytes", load.valueBytes())
            .put("fsync", load.fsync().word())
            .put("redisVersion", redisVersion)
            .put("replicas", replicas);
    alone.addTo(json.putObject("alone"));
    waited.addTo(json.putObject("waited"));
    return json.put("ratio", Figures.rounded(ratio())).put("whole", whole()).toString();
  }

  /** The figures, one a line. */
  public String toText() {
    return String.format(
        Locale.ROOT,
        """
        %,d clients, %,d writes of %,d bytes, fsync %s, Redis %s with %d replicas
          waiting for none      %,9.0f a second, %s
          wait-replicas = %-6d%,9.0f a second, %s
          ratio                 %9.2f\
        """,
        load.clients(),
        load.ops(),
        load.valueBytes(),
        load.fsync().word(),
        redisVersion,
        replicas,
        alone.writesPerSecond(),
        alone.write().toText(),
        replicas,
        waited.writesPerSecond(),
        waited.write().toText(),
        ratio());
  }
}
