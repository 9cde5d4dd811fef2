package dev.colony.bench.board;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.bench.load.Figures;
import java.util.Locale;

/**
 * What a benchmark of the blackboard found.
 *
 * @param redisVersion of the server
 * @param ceiling commits per second of the same script with nothing around it
 */
public record BoardReport(
    BoardLoad load, String redisVersion, FullLoad full, HalfLoad half, CeilingFigures ceiling) {

  /** Whether every acknowledged write is there and every event arrived once. */
  public boolean whole() {
    return tally().whole();
  }

  /** The part of the ceiling that was reached. */
  double ratio() {
    return full.writesPerSecond() / ceiling.writesPerSecond();
  }

  private WriteTally tally() {
    return full.tally().plus(half.tally());
  }

  ObjectNode json() {
    ObjectNode json =
        JsonNodeFactory.instance
            .objectNode()
            .put("clients", load.clients())
            .put("ops", load.ops())
            .put("valueBytes", load.valueBytes())
            .put("keys", load.keys())
            .put("scopes", load.scopes())
            .put("fsync", load.fsync().word())
            .put("redisVersion", redisVersion);
    full.addTo(json.putObject("full"));
    half.addTo(json.putObject("half"));
    ceiling.addTo(json.putObject("ceiling"));
    json.put("ratio", Figures.rounded(ratio()));
    tally().addTo(json);
    return json.put("whole", whole());
  }

  /** One object on one line. */
  public String toJson() {
    return json().toString();
  }

  /** The figures, one a line. */
  public String toText() {
    return String.format(
        Locale.ROOT,
        """
        %,d clients, %,d writes of %,d bytes to %,d keys in each of %,d scopes, fsync %s, Redis %s
          at full load
            writes with events  %,9.0f a second; the last event heard: %,.0f a second
            write to answer     %s
            write to subscriber %s; fell behind %,d times
            processor time      %s µs of this process, %s µs of Redis a write
          at half of it, from the instant at which a write was due
            write to subscriber %s; fell behind %,d times
            plain pub/sub       %s
            p99 ratio           %9.2f
          ceiling               %,9.0f a second (%s), %s µs of Redis a write
          ratio                 %9.2f of the ceiling
          written %,d, entries %,d with versions %,d in all, events received %,d, lost %d, twice %d\
        """,
        load.clients(),
        load.ops(),
        load.valueBytes(),
        load.keys(),
        load.scopes(),
        load.fsync().word(),
        redisVersion,
        full.writesPerSecond(),
        full.eventsPerSecond(),
        full.write().toText(),
        full.event().toText(),
        full.fellBehind(),
        Figures.text(full.clientMicros()),
        Figures.text(full.serverMicros()),
        half.event().toText(),
        half.fellBehind(),
        half.raw().toText(),
        half.p99Ratio(),
        ceiling.writesPerSecond(),
        ceiling.by(),
        Figures.text(ceiling.serverMicros()),
        ratio(),
        tally().written(),
        tally().entries(),
        tally().versions(),
        tally().received(),
        tally().eventsLost(),
        tally().eventsDoubled());
  }
}
