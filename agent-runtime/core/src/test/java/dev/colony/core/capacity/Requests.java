package dev.colony.core.capacity;

import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.AgentId;
import dev.colony.core.capacity.SlotScheduler.SlotRequest;
import java.time.Duration;
import java.time.Instant;

/** Requests as tests make them. */
final class Requests {

  static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private Requests() {}

  static SlotRequest of(String tenant, String name, int priority, Instant since) {
    return of(tenant, name, priority, 0, since);
  }

  static SlotRequest of(String tenant, String name, int priority, long tokens, Instant since) {
    return new SlotRequest(
        new AgentId(tenant, "c", name), AgentKind.UNBOUND, priority, tokens, since);
  }

  static Instant at(long seconds) {
    return START.plus(Duration.ofSeconds(seconds));
  }
}
