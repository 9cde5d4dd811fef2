package dev.colony.deploy.bench.board;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.blackboard.Blackboards;
import java.time.Duration;
import org.HdrHistogram.ConcurrentHistogram;

/**
 * What clients reach that each have one write under way.
 *
 * @param eventsPerSecond until the last event has arrived
 * @param write from the call to its acknowledgement
 * @param event from the call to the subscriber
 * @param fellBehind how often a subscriber did not keep up
 */
record FullLoad(
    double writesPerSecond,
    double eventsPerSecond,
    Latency write,
    Latency event,
    long fellBehind,
    Tally tally) {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  static FullLoad measure(Blackboards blackboards, String phase, BoardLoad load) {
    ConcurrentHistogram acknowledged = Latency.histogram();
    try (LoadedScopes scopes = new LoadedScopes(blackboards, phase, load)) {
      long begun = System.nanoTime();
      double seconds =
          new ClosedLoop(load.clients(), load.ops())
              .run((client, number) -> {
                long called = System.nanoTime();
                return scopes
                    .write(number, called)
                    .thenAccept(done -> Latency.record(acknowledged, System.nanoTime() - called));
              });
      scopes.arrivals().await(PATIENCE);
      double untilHeard = (System.nanoTime() - begun) / 1e9;
      return new FullLoad(
          load.ops() / seconds,
          load.ops() / untilHeard,
          Latency.of(acknowledged),
          scopes.arrivals().latency(),
          scopes.fellBehind(),
          scopes.tally());
    }
  }

  ObjectNode addTo(ObjectNode json) {
    json.put("writesPerSecond", Math.round(writesPerSecond))
        .put("eventsPerSecond", Math.round(eventsPerSecond))
        .put("fellBehind", fellBehind);
    write.addTo(json, "write");
    event.addTo(json, "event");
    return json;
  }
}
