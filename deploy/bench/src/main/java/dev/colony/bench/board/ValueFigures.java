package dev.colony.bench.board;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.bench.load.ClosedLoop;
import dev.colony.bench.load.Figures;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.Write;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * A large value: the medians of several times.
 *
 * @param writeMillis until its write is acknowledged
 * @param heardMillis from the write to the subscriber
 * @param readMillis until it is read back
 */
record ValueFigures(int bytes, double writeMillis, double heardMillis, double readMillis) {

  private static final int TIMES = 5;
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /**
   * @throws CommandFailure if what is heard or read is not what was written
   */
  static ValueFigures measure(BenchServer bench, int bytes) {
    Blackboard board = bench.blackboards().open(Scope.colony("bench", "value"), "bench");
    NumberedValue values = new NumberedValue(bytes);
    double[] write = new double[TIMES];
    double[] heard = new double[TIMES];
    double[] read = new double[TIMES];
    for (int i = 0; i < TIMES; i++) {
      Arrivals arrivals = new Arrivals(1);
      Receiver receiver = new Receiver(arrivals, new LongAdder(), position -> {});
      board.subscribe(EventFilter.all(), SubscribeFrom.now()).subscribe(receiver);
      ClosedLoop.await(receiver.established(), "the subscription");
      Write large = Write.of("large", values.of(0));
      long begun = System.nanoTime();
      arrivals.sent(0, begun);
      board.write(large).toCompletableFuture().join();
      write[i] = (System.nanoTime() - begun) / 1e6;
      boolean came = arrivals.await(1, PATIENCE);
      heard[i] = arrivals.latency().p50Millis();
      receiver.cancel();
      long reading = System.nanoTime();
      Entry entry = board.read("large").toCompletableFuture().join().orElseThrow();
      read[i] = (System.nanoTime() - reading) / 1e6;
      if (!came || !entry.value().equals(large.value())) {
        throw new CommandFailure(
            ExitCode.UNSUCCESSFUL, "a value of %,d bytes did not come back".formatted(bytes));
      }
    }
    return new ValueFigures(bytes, median(write), median(heard), median(read));
  }

  private static double median(double[] millis) {
    Arrays.sort(millis);
    return millis[TIMES / 2];
  }

  List<String[]> rows() {
    String value = "a value of %,d bytes ".formatted(bytes);
    return List.of(
        new String[] {value + "written", Figures.text(writeMillis) + " ms"},
        new String[] {value + "heard by a subscriber", Figures.text(heardMillis) + " ms"},
        new String[] {value + "read", Figures.text(readMillis) + " ms"});
  }

  ObjectNode addTo(ObjectNode json) {
    return json.put("bytes", bytes)
        .put("writeMillis", Figures.rounded(writeMillis))
        .put("heardMillis", Figures.rounded(heardMillis))
        .put("readMillis", Figures.rounded(readMillis));
  }
}
