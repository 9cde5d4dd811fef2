package dev.colony.agent.view;

import com.fasterxml.jackson.annotation.JsonTypeName;
import dev.colony.agent.ErrorContext;
import dev.colony.agent.RunId;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.Usage;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A completed step.
 *
 * @param sequenceNr of the event that ended it
 * @param runId that it belongs to; empty where the journal does not tell
 * @param step counted from 0 within its run
 * @param at when it ended, by the clock of the node that journaled it
 * @param tookMillis since the record before it, so about as long as its last model call or its
 *     action; empty for the first record that is read
 * @param actions its actions and what became of them, in the order in which they ended
 * @param usage tokens of its model calls, those within its actions included
 * @param cost of those tokens, in the unit of the node's prices; in JSON as text, since readers of
 *     JSON have doubles only
 * @param models that answered these calls, as {@link InferenceReply#answeredBy} has it, each once
 * @param blocked why the run waited after it
 * @param error what went wrong in it
 */
@JsonTypeName("step-completed")
public record StepView(
    long sequenceNr,
    Optional<RunId> runId,
    int step,
    Instant at,
    Optional<Long> tookMillis,
    List<ActionView> actions,
    int modelCalls,
    Usage usage,
    BigDecimal cost,
    List<String> models,
    Optional<BlockedView> blocked,
    Optional<ErrorContext> error)
    implements HistoryEntry {

  public StepView {
    Objects.requireNonNull(at, "at");
    Objects.requireNonNull(usage, "usage");
    Objects.requireNonNull(cost, "cost");
    actions = actions == null ? List.of() : List.copyOf(actions);
    models = models == null ? List.of() : List.copyOf(models);
  }

  @Override
  public Optional<RunId> run() {
    return runId;
  }

  /** The same step, of that run. */
  public StepView run(Optional<RunId> other) {
    return new StepView(
        sequenceNr,
        other,
        step,
        at,
        tookMillis,
        actions,
        modelCalls,
        usage,
        cost,
        models,
        blocked,
        error);
  }
}
