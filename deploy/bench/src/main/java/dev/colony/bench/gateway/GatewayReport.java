package dev.colony.bench.gateway;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.bench.load.Figures;
import dev.colony.bench.load.LatencyFigures;
import java.util.Locale;
import java.util.Optional;

/**
 * What a benchmark of the gateway found.
 *
 * @param direct the replica asked by the bench itself
 * @param port by the gateway's port in the same process
 * @param api over the API of a node, by OpenAI's chat completions
 * @param streams empty where none were asked for
 */
public record GatewayReport(
    GatewayLoad load, Way direct, Way port, Way api, Optional<Streams> streams) {

  /**
   * One way to ask.
   *
   * @param latency of calls at an even rate
   * @param perSecond calls by clients that each have one under way
   */
  public record Way(LatencyFigures latency, double perSecond) {}

  /**
   * Streams over the API of a node; bytes are of the process that holds the clients, the node and
   * the replica.
   *
   * @param open at once, when the memory was looked at
   * @param ended how many came to their end as they have to
   * @param heapBefore reachable bytes before them
   * @param heapOpen while they are open
   * @param heapAfter when all have ended
   * @param resident of the process while they are open; 0 where that is not known
   */
  public record Streams(
      int open, int ended, long heapBefore, long heapOpen, long heapAfter, long resident) {

    private long perStream() {
      return open == 0 ? 0 : (heapOpen - heapBefore) / open;
    }
  }

  /** Whether every stream came to its end. */
  public boolean whole() {
    return streams.map(Streams::ended).orElse(0) == load.streams();
  }

  private double added50(Way way) {
    return way.latency().p50Millis() - direct.latency().p50Millis();
  }

  private double added99(Way way) {
    return way.latency().p99Millis() - direct.latency().p99Millis();
  }

  private double ratio(Way way) {
    return way.perSecond() / direct.perSecond();
  }

  /** One object on one line. */
  public String toJson() {
    ObjectNode json =
        JsonNodeFactory.instance
            .objectNode()
            .put("clients", load.clients())
            .put("ops", load.ops())
            .put("rate", load.perSecond())
            .put("streams", load.streams())
            .put("replicaTime", load.replicaTime());
    add(json, "direct", direct);
    add(json, "port", port);
    add(json, "api", api);
    streams.ifPresent(some ->
        json.put("streamsOpen", some.open())
            .put("streamsEnded", some.ended())
            .put("heapBeforeBytes", some.heapBefore())
            .put("heapOpenBytes", some.heapOpen())
            .put("heapAfterBytes", some.heapAfter())
            .put("heapBytesPerStream", some.perStream())
            .put("residentBytes", some.resident()));
    return json.toString();
  }

  private void add(ObjectNode json, String name, Way way) {
    way.latency().addTo(json, name);
    json.put(name + "PerSecond", Math.round(way.perSecond()));
    if (way != direct) {
      json.put(name + "AddedP50Millis", Figures.rounded(added50(way)))
          .put(name + "AddedP99Millis", Figures.rounded(added99(way)))
          .put(name + "Ratio", Figures.rounded(ratio(way)));
    }
  }

  /** The figures, one a line. */
  public String toText() {
    String calls =
        String.format(
            Locale.ROOT,
            """
            %,d calls at %,d a second, and as many by %,d clients, of one replica that takes %s
              directly              %s; %,.0f calls per second
              by the gateway's port %s; %,.0f calls per second, %.2f of directly
              over the node's API   %s; %,.0f calls per second, %.2f of directly
              added by the port     p50 %s ms, p99 %s ms
              added by the API      p50 %s ms, p99 %s ms\
            """,
            load.ops(),
            load.perSecond(),
            load.clients(),
            load.replicaTime() == 0 ? "no time" : load.replicaTime() + " of its modelled time",
            direct.latency().toText(),
            direct.perSecond(),
            port.latency().toText(),
            port.perSecond(),
            ratio(port),
            api.latency().toText(),
            api.perSecond(),
            ratio(api),
            Figures.text(added50(port)),
            Figures.text(added99(port)),
            Figures.text(added50(api)),
            Figures.text(added99(api)));
    return streams.map(some -> calls + "\n" + toText(some)).orElse(calls);
  }

  private String toText(Streams some) {
    return String.format(
        Locale.ROOT,
        """
        %,d streams over the node's API, %,d of them open at once, %,d ended whole
          heap                  %,d KiB before, %,d KiB with them, %,d KiB each, %,d KiB after
          process               %,d MiB; all of it clients, node and replica together\
        """,
        load.streams(),
        some.open(),
        some.ended(),
        some.heapBefore() >> 10,
        some.heapOpen() >> 10,
        some.perStream() >> 10,
        some.heapAfter() >> 10,
        some.resident() >> 20);
  }
}
