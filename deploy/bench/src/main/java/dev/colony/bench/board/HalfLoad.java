package dev.colony.bench.board;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.bench.load.Figures;
import dev.colony.bench.load.LatencyFigures;
import dev.colony.bench.load.OpenLoop;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.redis.RedisConnections;
import java.time.Duration;

/**
 * How long events take at a given rate, beside what messages of the same bytes take that are
 * published plainly at the same rate. The two take turns, so that whatever else the machine does
 * meets both.
 *
 * @param perSecond the rate
 * @param event from the instant at which a write was due to the subscriber
 * @param raw the same of plain publish/subscribe through the same client
 */
record HalfLoad(
    double perSecond, LatencyFigures event, LatencyFigures raw, long fellBehind, WriteTally tally) {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  static HalfLoad measure(
      Blackboards blackboards,
      RedisConnections redis,
      String phase,
      BoardLoad load,
      double perSecond) {
    OpenLoop loop = new OpenLoop(perSecond);
    try (LoadedScopes scopes = LoadedScopes.durable(blackboards, phase, load);
        PlainMessages plain = new PlainMessages(redis, load)) {
      load.inRounds((first, end) -> {
        loop.run(first, end, plain::publish);
        loop.run(first, end, scopes::write);
      });
      plain.arrivals().await(load.ops(), PATIENCE);
      scopes.arrivals().await(load.ops(), PATIENCE);
      return new HalfLoad(
          perSecond,
          scopes.arrivals().latency(),
          plain.arrivals().latency(),
          scopes.fellBehind(),
          scopes.tally());
    }
  }

  /** How many times as long an event takes as a plain message, in the slowest hundredth. */
  double p99Ratio() {
    return event.p99Millis() / raw.p99Millis();
  }

  ObjectNode addTo(ObjectNode json) {
    json.put("writesPerSecond", Math.round(perSecond)).put("fellBehind", fellBehind);
    event.addTo(json, "event");
    raw.addTo(json, "raw");
    return json.put("p99Ratio", Figures.rounded(p99Ratio()));
  }
}
