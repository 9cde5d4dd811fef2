package dev.colony.client.history;

import dev.colony.agent.RunId;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.client.HistoryPage.HistoryEntry;
import dev.colony.agent.client.StepView;
import dev.colony.agent.client.StepView.ActionView;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.inference.Usage;
import dev.colony.journal.JournalReader.Stored;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Reads what befell an agent off a stretch of its journal. A run's steps stand before its end,
 * which names it; whose those after the last end of a run are, the stretch itself does not tell.
 * Not thread-safe.
 */
final class HistoryReading {

  /**
   * An entry and where it stands.
   *
   * @param ends how many runs have ended before it within the stretch
   */
  record Placed(HistoryEntry entry, int ends) {}

  private final List<Placed> entries = new ArrayList<>();
  private final List<RunId> ended = new ArrayList<>();
  private boolean whole;
  private long cut;
  private Optional<Instant> before = Optional.empty();
  private final List<ActionView> performed = new ArrayList<>();
  private int modelCalls;
  private Usage usage = Usage.NONE;
  private BigDecimal cost = BigDecimal.ZERO;
  private final Set<String> models = new LinkedHashSet<>();

  private HistoryReading(boolean whole) {
    this.whole = whole;
  }

  /**
   * Reads a stretch.
   *
   * @param whole whether no step has begun before it
   */
  static HistoryReading of(List<Stored> events, boolean whole) {
    HistoryReading reading = new HistoryReading(whole);
    events.forEach(event -> reading.take(event.sequenceNr(), (AgentEvent) event.content()));
    return reading;
  }

  /** The entries of the stretch, without a step that began before it. */
  List<Placed> entries() {
    return entries;
  }

  /** Where the step ends that began before the stretch; 0 if there is none. */
  long cut() {
    return cut;
  }

  int ends() {
    return ended.size();
  }

  /** The run that was open where so many runs had ended; empty behind the last end. */
  Optional<RunId> run(int ends) {
    return ends < ended.size() ? Optional.of(ended.get(ends)) : Optional.empty();
  }

  private void take(long sequenceNr, AgentEvent event) {
    switch (event) {
      case AgentEvent.ModelAnswered answered -> {
        modelCalls++;
        usage = usage.plus(answered.reply().usage());
        model(answered.reply().answeredBy());
        cost = cost.add(answered.cost().orElse(BigDecimal.ZERO));
      }
      case AgentEvent.ModelFailed failed -> {
        usage = usage.plus(failed.usage());
        cost = cost.add(failed.cost().orElse(BigDecimal.ZERO));
      }
      case AgentEvent.ActionEnded ended -> {
        acted(ended.call());
        cost = cost.add(ended.cost().orElse(BigDecimal.ZERO));
      }
      case AgentEvent.StepCompleted step -> {
        if (whole) {
          add(step(sequenceNr, step));
        } else {
          cut = sequenceNr;
        }
        stepEnds();
      }
      case AgentEvent.RunCompleted completed -> {
        show(sequenceNr, completed);
        ended.add(completed.run().runId());
        stepEnds();
      }
      default -> show(sequenceNr, event);
    }
    before = Optional.of(event.at());
  }

  private void show(long sequenceNr, AgentEvent event) {
    Views.event(sequenceNr, event).ifPresent(this::add);
  }

  private void add(HistoryEntry entry) {
    entries.add(new Placed(entry, ended.size()));
  }

  private void stepEnds() {
    whole = true;
    performed.clear();
    modelCalls = 0;
    usage = Usage.NONE;
    cost = BigDecimal.ZERO;
    models.clear();
  }

  private void model(String name) {
    if (!name.isEmpty()) {
      models.add(name);
    }
  }

  private void acted(ActionCall call) {
    performed.add(ActionView.of(call));
    usage = usage.plus(call.result().usage());
    call.result().models().forEach(use -> model(use.answeredBy()));
  }

  private StepView step(long sequenceNr, AgentEvent.StepCompleted step) {
    step.call().ifPresent(this::acted);
    return new StepView(
        sequenceNr,
        Optional.empty(),
        step.step(),
        step.at(),
        before.map(instant -> Duration.between(instant, step.at()).toMillis()),
        List.copyOf(performed),
        modelCalls,
        usage,
        cost.add(step.cost().orElse(BigDecimal.ZERO)),
        List.copyOf(models),
        step.blocked().map(Views::blocked),
        step.error());
  }
}
