package dev.colony.core.lifecycle;

import dev.colony.agent.RunStats;
import dev.colony.inference.Usage;
import java.math.BigDecimal;
import java.util.List;

/** What a model call that has begun counts for until it is answered. */
public record Asked(long promptTokens, BigDecimal cost) {

  /** The call, taken to use what its prompt has. */
  RunStats counted() {
    return new RunStats(0, 1, new Usage(promptTokens, 0, 0), 0, 0, cost, List.of());
  }

  /** Takes back what it was taken to use; that it was made stays counted. */
  RunStats withdrawn() {
    return new RunStats(0, 0, new Usage(-promptTokens, 0, 0), 0, 0, cost.negate(), List.of());
  }
}
