package dev.colony.node.entity;

import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.client.history.AgentHistory.SnapshotSpacing;
import java.time.Duration;

/** The settings of a node that hosts agents; reference.conf says what each means. */
@Section("colony.agent")
public record AgentSettings(
    @Range(min = "1", max = "10000") int placementUnits,
    Capability capability,
    @Range(min = "1 KiB", max = "64 MiB") int maxPrompt,
    @Range(min = "100 ms", max = "1 h") Duration modelCallDeadline,
    @Range(min = "10 ms", max = "1 d") Duration passivateAfter,
    @Range(min = "0 s", max = "10 m") Duration leaveGrace,
    @Range(min = "0 s", max = "1 h") Duration modelCallGrace,
    @Range(min = "10", max = "100000") int snapshotEvery,
    Inbox inbox,
    Retention retention,
    Resumption resumption) {

  /** What one capability may keep. */
  public record Capability(@Range(min = "0 B", max = "16 MiB") int maxSnapshot) {}

  public record Inbox(@Range(min = "1", max = "1000") int maxDeliveries) {}

  /** How long what agents leave behind is kept. */
  public record Retention(
      @Range(min = "100 ms", max = "36500 d") Duration runs,
      @Range(min = "100 ms", max = "36500 d") Duration progress,
      @Range(min = "100 ms", max = "36500 d") Duration agents,
      @Range(min = "100 ms", max = "36500 d") Duration events) {}

  public record Resumption(@Range(min = "0 s", max = "1 h") Duration earlySignals) {}

  SnapshotSpacing snapshots() {
    return new SnapshotSpacing(snapshotEvery);
  }
}
