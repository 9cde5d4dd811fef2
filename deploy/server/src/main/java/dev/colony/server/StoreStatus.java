package dev.colony.server;

import dev.colony.agent.client.ScopeSuspensions.ScopeSuspension;
import dev.colony.blackboard.InboxStatistics;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.clock.ClusterClock.ClockSkew;
import dev.colony.journal.LostLogs.Rollback;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What operators want to know of the store that a cluster works on. */
public final class StoreStatus {

  private StoreStatus() {}

  /**
   * How the store fares.
   *
   * @param lastRollback when the store last went back to an older state
   * @param agentsWithLostEvents how many agents wait for a decision
   * @param suspended what is suspended as a whole, of all tenants
   */
  public record StoreView(
      Optional<RollbackView> lastRollback,
      int agentsWithLostEvents,
      InboxView inbox,
      ClocksView clocks,
      List<ScopeSuspension> suspended) {

    static StoreView of(
        Optional<Rollback> lastRollback,
        int agentsWithLostEvents,
        InboxStatistics inbox,
        ClockSkew clocks,
        List<ScopeSuspension> suspended) {
      return new StoreView(
          lastRollback.map(rollback -> new RollbackView(rollback.noticed(), rollback.since())),
          agentsWithLostEvents,
          new InboxView(inbox.messages(), inbox.oldest(), inbox.deadLetters()),
          new ClocksView(clocks.node().toMillis(), clocks.store().toMillis()),
          suspended);
    }

    /** A line for each fact, for people. */
    public List<String> lines(Instant now) {
      List<String> lines = new ArrayList<>();
      String oldest =
          inbox
              .oldest()
              .map(at -> ", the oldest for %d s".formatted(Duration.between(at, now).toSeconds()))
              .orElse("");
      lines.add(
          "inbox: %,d requests and signals wait%s · %,d dead letters"
              .formatted(inbox.messages(), oldest, inbox.deadLetters()));
      lines.add(
          "clocks: this machine %+.1f s, Redis %+.1f s from the cluster time"
              .formatted(clocks.nodeMillis() / 1000.0, clocks.storeMillis() / 1000.0));
      lastRollback.ifPresent(rollback ->
          lines.add(
              "Redis went back to an older state: noticed %s, what it acknowledged since %s may be gone"
                  .formatted(rollback.noticed(), rollback.since())));
      if (agentsWithLostEvents > 0) {
        lines.add(
            "%,d agent%s for a decision about lost events: colony lost-events list"
                .formatted(agentsWithLostEvents, agentsWithLostEvents == 1 ? " waits" : "s wait"));
      }
      suspended.forEach(one -> lines.add(one.words() + " · colony resume " + told(one.scope())));
      return lines;
    }

    /** As the command line names a scope. */
    private static String told(Scope scope) {
      return switch (scope.level()) {
        case TENANT -> "--tenant " + scope.tenant();
        case COLONY -> "--colony %s/%s".formatted(scope.tenant(), scope.colony().orElseThrow());
        case AGENT, SESSION -> ScopeSuspension.top(scope) + " --tree";
      };
    }
  }

  /**
   * That the store went back to an older state.
   *
   * @param noticed when a node found out
   * @param since from when on what was acknowledged may be gone
   */
  public record RollbackView(Instant noticed, Instant since) {}

  /**
   * What waits in the inbox.
   *
   * @param oldest when the oldest of the messages was stored
   */
  public record InboxView(long messages, Optional<Instant> oldest, long deadLetters) {}

  /**
   * How far clocks are ahead of the cluster time; negative where they are behind.
   *
   * @param nodeMillis that of the machine of the node that answers
   * @param storeMillis that of Redis
   */
  public record ClocksView(long nodeMillis, long storeMillis) {}
}
