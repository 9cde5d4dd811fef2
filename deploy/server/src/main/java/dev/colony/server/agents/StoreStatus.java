package dev.colony.server.agents;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.journal.LostLogs.Rollback;
import dev.colony.blackboard.InboxStatistics;
import dev.colony.blackboard.clock.ClockSkew;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What operators want to know of the store that a cluster works on.
 *
 * @param lastRollback when it was noticed last that the store had gone back to an older state
 * @param agentsWithLostEvents how many agents wait for a decision
 * @param inbox what waits to be taken by agents
 * @param clocks how far the clocks of this process' machine and of the store are from the cluster
 *     time
 */
public record StoreStatus(
    Optional<Rollback> lastRollback,
    int agentsWithLostEvents,
    InboxStatistics inbox,
    ClockSkew clocks) {

  /** The field names are stable; what there is none of is left out. */
  public ObjectNode json() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    lastRollback.ifPresent(rollback ->
        json.putObject("lastRollback")
            .put("noticed", rollback.noticed().toString())
            .put("since", rollback.since().toString()));
    json.put("agentsWithLostEvents", agentsWithLostEvents);
    ObjectNode waiting = json.putObject("inbox").put("messages", inbox.messages());
    inbox.oldest().ifPresent(at -> waiting.put("oldest", at.toString()));
    waiting.put("deadLetters", inbox.deadLetters());
    json.putObject("clocks")
        .put("nodeSeconds", seconds(clocks.node()))
        .put("storeSeconds", seconds(clocks.store()));
    return json;
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1000.0;
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
            .formatted(seconds(clocks.node()), seconds(clocks.store())));
    lastRollback.ifPresent(rollback ->
        lines.add(
            "Redis went back to an older state: noticed %s, what it acknowledged since %s may be gone"
                .formatted(rollback.noticed(), rollback.since())));
    if (agentsWithLostEvents > 0) {
      lines.add(
          "%,d agent%s for a decision about lost events: colony lost-events list"
              .formatted(agentsWithLostEvents, agentsWithLostEvents == 1 ? " waits" : "s wait"));
    }
    return lines;
  }
}
