package dev.colony.bench.board;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.bench.load.ClosedLoop;
import dev.colony.bench.load.Figures;
import dev.colony.blackboard.server.Fsync;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;

/**
 * Many scopes with one subscriber each, in one process.
 *
 * @param subscribeSeconds until all subscriptions were there
 * @param heapBytesEach what a scope's subscription keeps of the heap, after a collection
 * @param connections how many this process has to Redis then
 * @param deliverSeconds for one write to each scope and its event, all of them
 */
record SubscriptionFigures(
    int scopes,
    double subscribeSeconds,
    long heapBytesEach,
    long connections,
    double deliverSeconds,
    WriteTally tally) {

  private static final int CLIENTS = 64;
  private static final int VALUE_BYTES = 64;
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  static SubscriptionFigures measure(BenchServer bench, int scopes) {
    BoardLoad load = new BoardLoad(CLIENTS, scopes, VALUE_BYTES, 1, scopes, Fsync.ALWAYS);
    long heapBefore = heapInUse();
    long begun = System.nanoTime();
    try (LoadedScopes subscribed =
        LoadedScopes.fromNow(bench.blackboards(), "subscriptions", load)) {
      double subscribeSeconds = (System.nanoTime() - begun) / 1e9;
      long heapEach = Math.max(0, heapInUse() - heapBefore) / scopes;
      long connections = connections(bench);
      long delivering = System.nanoTime();
      new ClosedLoop(CLIENTS)
          .run(0, scopes, (client, number) -> subscribed.write(number, System.nanoTime()));
      subscribed.arrivals().await(scopes, PATIENCE);
      double deliverSeconds = (System.nanoTime() - delivering) / 1e9;
      return new SubscriptionFigures(
          scopes, subscribeSeconds, heapEach, connections, deliverSeconds, subscribed.tally());
    }
  }

  private static long connections(BenchServer bench) {
    return bench.redis().commands().clientList().toCompletableFuture().join().lines().count();
  }

  private static long heapInUse() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  List<String[]> rows() {
    String subject = "%,d scopes with a subscriber each: ".formatted(scopes);
    return List.of(
        new String[] {subject + "subscribed in", Figures.text(subscribeSeconds) + " s"},
        new String[] {subject + "heap for each", "%,d bytes".formatted(heapBytesEach)},
        new String[] {subject + "connections to Redis", Long.toString(connections)},
        new String[] {
          subject + "an event in each delivered",
          "%,d in %s s".formatted(tally.received(), Figures.text(deliverSeconds))
        });
  }

  ObjectNode addTo(ObjectNode json) {
    json.put("scopes", scopes)
        .put("subscribeSeconds", Figures.rounded(subscribeSeconds))
        .put("heapBytesEach", heapBytesEach)
        .put("connections", connections)
        .put("deliverSeconds", Figures.rounded(deliverSeconds));
    tally.addTo(json);
    return json;
  }
}
