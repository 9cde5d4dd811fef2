package dev.colony.blackboard.fault;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What was acknowledged stays, and no subscriber misses an event, whatever breaks, as long as the
 * server brings its writes to the disk ({@code appendfsync always}).
 */
class FaultsUnderLoadTest {

  /** Longer than any outage here: then no call may fail. */
  private static final Duration PATIENT = Duration.ofSeconds(30);

  private static final Duration SOON_SILENT = Duration.ofMillis(400);

  /**
   * Shorter than an outage: calls fail, and the caller does not know whether they were carried out.
   */
  private static final Duration HASTY = Duration.ofMillis(800);

  private static final Duration LATE_SILENT = Duration.ofMillis(1_200);

  @Test
  void brokenConnectionsAndAnAbsentServerLoseAndDoubleNothing() throws Exception {
    UnderLoad load = new UnderLoad(Seed.next("faults"), PATIENT, SOON_SILENT);
    load.suffer(load.draw(Fault.GENTLE, 6));
  }

  @Test
  void aKilledServerLosesAndDoublesNothing() throws Exception {
    UnderLoad load = new UnderLoad(Seed.next("kills"), PATIENT, SOON_SILENT);
    load.suffer(List.of(Fault.SERVER_KILLED, Fault.SERVER_KILLED, Fault.SERVER_KILLED));
  }

  @Test
  @Tag("faults")
  void twentyFaultsLoseAndDoubleNothing() throws Exception {
    UnderLoad load = new UnderLoad(Seed.next("twenty faults"), PATIENT, SOON_SILENT);
    load.suffer(load.draw(Fault.GENTLE, 20));
  }

  @Test
  @Tag("faults")
  void twentyKillsLoseAndDoubleNothing() throws Exception {
    UnderLoad load = new UnderLoad(Seed.next("twenty kills"), PATIENT, SOON_SILENT);
    load.suffer(load.draw(List.of(Fault.SERVER_KILLED), 20));
  }

  @Test
  @Tag("faults")
  void callsThatFailedForAnOutageHappenedOnceOrNot() throws Exception {
    UnderLoad load = new UnderLoad(Seed.next("hasty"), HASTY, LATE_SILENT);
    load.suffer(load.draw(List.of(Fault.values()), 20));
  }
}
