package dev.colony.core.lifecycle;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.author.DurableMemory;
import dev.colony.core.lifecycle.Effects.AgentEffect;
import dev.colony.core.lifecycle.Rewound.Deed;
import dev.colony.core.lifecycle.StepRecords.Verdict;
import dev.colony.core.lifecycle.Suspending.ReasonText;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Rewinds the last run of an agent that has ended: it is executed again from one of its steps on,
 * in another attempt under the same id. What stands before that step is kept, and the agent's
 * memory is what it was there. An external action that has been done since is not done again: where
 * it comes up again, whatever its id, its outcome is what became of it; one that has failed, or
 * that may be repeated and of which it is not known, is executed again under the same idempotency
 * key.
 *
 * <p>The request is journaled first, then the past is read, then both what is kept of it and the
 * run are journaled in one append: so a crash at any point loses nothing and rewinds once.
 *
 * @param run the one that was rewound last, or is being rewound
 * @param step from which on, counted from 0
 * @param attempt that it is, or is to be
 * @param open whether it is to be done yet
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record Rewinding(RunId run, int step, int attempt, boolean open) {

  static Verdict decide(AgentSnapshot state, Intent.Rewind rewind, Instant at) {
    RunId run = rewind.run();
    int attempts = state.runs().attempts(run);
    if (rewind.attempt() <= attempts) {
      return new Verdict.Repeated();
    }
    return refusal(state, run)
        .or(() ->
            rewind.attempt() == attempts + 1 && rewind.step() >= 0
                ? Optional.empty()
                : Optional.of("the next attempt of run " + run + " is " + (attempts + 1)))
        .<Verdict>map(Verdict.Refused::new)
        .orElseGet(() -> {
          Rewinding next = new Rewinding(run, rewind.step(), rewind.attempt(), true);
          return Verdict.journal(
              new AgentEvent.RewindRequested(
                  next,
                  ReasonText.line(rewind.reason()),
                  state.runs(state.runs().rewinding(next)).left(),
                  at));
        });
  }

  /** Why a run cannot be rewound as its agent stands, one line. */
  static Optional<String> refusal(AgentSnapshot state, RunId run) {
    if (state.runs().queued(run).isPresent()) {
      return Optional.of("run " + run + " is under way: it can be rewound when it has ended");
    }
    if (state.state() != AgentState.IDLE && state.state() != AgentState.LOADED
        || !state.queue().isEmpty()
        || state.runs().opened().isPresent()) {
      return Optional.of(
          "a run is rewound while its agent has nothing to do; it is " + state.state());
    }
    return state.finished().isEmpty() || !state.finished().getLast().equals(run)
        ? Optional.of(
            "run %s is not the last that the agent has ended%s: fork the agent where it was to go on from there"
                .formatted(
                    run,
                    state.finished().isEmpty() ? "" : ", which is " + state.finished().getLast()))
        : Optional.empty();
  }

  /** What there is to do for it; where another run has begun before, it is too late. */
  AgentEffect effect(AgentSnapshot state, Instant now) {
    return state.queue().isEmpty()
        ? new AgentEffect.Rewind(this)
        : new AgentEffect.IssueCommand(
            new AgentCommand.CompleteRewind(
                new Past.Missing("another run of the agent has begun"), now));
  }

  static Verdict decide(AgentSnapshot state, AgentCommand.CompleteRewind command, long partBytes) {
    if (state.runs().opened().isEmpty()) {
      return Lifecycle.unfit(state, command);
    }
    return switch (command.past()) {
      case Past.Found found when !state.queue().isEmpty() -> Lifecycle.unfit(state, command);
      case Past.Found found -> {
        List<AgentEvent> events = new ArrayList<>();
        for (ForkSeed part : found.kept().parts(partBytes)) {
          events.add(new AgentEvent.RunRewound(part, events.isEmpty(), command.at()));
        }
        AgentSnapshot next = state;
        for (AgentEvent event : events) {
          next = apply(next, (AgentEvent.RunRewound) event);
        }
        events.add(Accepting.event(next, found.request(), command.at()));
        yield new Verdict.Journal(events);
      }
      case Past.Missing missing ->
          Verdict.journal(
              new AgentEvent.RewindRefused(
                  ReasonText.line(missing.why()),
                  state.runs(state.runs().notRewound()).left(),
                  command.at()));
    };
  }

  /** What the agent has come to know since that step is forgotten with the first part. */
  static AgentSnapshot apply(AgentSnapshot state, AgentEvent.RunRewound rewound) {
    return Lifecycle.forked(
        rewound.first() ? state.memory(DurableMemory.EMPTY).forkSeed(Optional.empty()) : state,
        rewound.kept());
  }

  /** The same with the attempt before it as the last. */
  Rewinding undone() {
    return new Rewinding(run, step, attempt - 1, false);
  }

  Rewinding done() {
    return new Rewinding(run, step, attempt, false);
  }

  /** What an agent's journal tells of a run and one of its steps. */
  public sealed interface Past {

    /**
     * @param kept what the run begins its next attempt with
     */
    record Found(RunRequest request, ForkSeed kept) implements Past {}

    /** The run does not begin there, for this reason, one line. */
    record Missing(String why) implements Past {}
  }

  /**
   * Finds in an agent's journal how a run stood when a step began, and what it has done to the
   * world since, in all its attempts. Is given each event with the states before and after it, in
   * their order, up to the last. Not thread-safe.
   */
  public static final class PastReading {

    private record Open(Action action, String key, boolean retryable) {}

    private final AgentId agent;
    private final RunId run;
    private final int step;
    private final List<Deed> deeds = new ArrayList<>();
    private final Map<String, Open> open = new HashMap<>();
    private Optional<AgentSnapshot> begun = Optional.empty();
    private Optional<RunRequest> request = Optional.empty();
    private RunStats stats = RunStats.NONE;
    private AgentSnapshot now = AgentSnapshot.UNBORN;
    private long sequenceNr;

    public PastReading(AgentId agent, RunId run, int step) {
      this.agent = agent;
      this.run = run;
      this.step = step;
    }

    public void take(AgentSnapshot before, AgentEvent event, AgentSnapshot after, long number) {
      now = after;
      sequenceNr = number;
      if (!head(after) && !head(before)) {
        return;
      }
      if (head(after)) {
        request = Optional.of(after.queue().getFirst().request());
        stats = after.active().orElseThrow().spent();
      }
      if (begins(after) && !begins(before)) {
        begun = Optional.of(after);
        open.clear();
        deeds.clear();
        after.active().flatMap(ActiveRun::rewound).ifPresent(past -> deeds.addAll(past.deeds()));
      } else if (begun.isPresent()) {
        takeAction(before, event);
      }
    }

    private boolean head(AgentSnapshot state) {
      return !state.queue().isEmpty() && state.queue().getFirst().runId().equals(run);
    }

    private boolean begins(AgentSnapshot state) {
      return head(state)
          && state
              .active()
              .filter(one -> one.ended().isEmpty() && one.stats().steps() == step)
              .isPresent();
    }

    private void takeAction(AgentSnapshot before, AgentEvent event) {
      switch (event) {
        case AgentEvent.ActionIntended intended ->
            begins(before, intended.action(), intended.retryable());
        case AgentEvent.ActionBegun one -> begins(before, one.action(), one.retryable());
        case AgentEvent.ActionEnded ended -> ends(ended.call());
        case AgentEvent.StepCompleted completed -> completed.call().ifPresent(this::ends);
        default -> {}
      }
    }

    private void begins(AgentSnapshot before, Action action, boolean retryable) {
      ActiveRun active = before.active().orElseThrow();
      String name = Effects.stepName(agent, before.queue().getFirst(), active);
      open.put(action.actionId(), new Open(action, active.key(name, action), retryable));
    }

    private void ends(ActionCall call) {
      Optional.ofNullable(open.remove(call.action().actionId()))
          .filter(one -> Deed.stands(call.result(), one.retryable()))
          .ifPresent(one -> {
            deeds.removeIf(before -> before.key().equals(one.key()));
            deeds.add(new Deed(one.action(), one.key(), one.retryable(), call.result()));
          });
    }

    /** How many attempts the run has had. */
    public int attempts() {
      return now.runs().attempts(run);
    }

    /** Whether the run has ended, and it is not journaled yet that its result is known. */
    public boolean ending() {
      return head(now) && now.active().flatMap(ActiveRun::ended).isPresent();
    }

    /** Why the run cannot be rewound now; empty if it can, as far as the agent's state says. */
    public Optional<String> refusal() {
      return Rewinding.refusal(now, run);
    }

    /**
     * What was found.
     *
     * @param attempt that is to begin
     */
    public Past past(int attempt) {
      if (request.isEmpty()) {
        return new Past.Missing("the agent's history does not reach back to run " + run);
      }
      if (step < 0 || step > stats.steps()) {
        return new Past.Missing(
            "run %s took %d steps: it is rewound to one from 0 to %d"
                .formatted(run, stats.steps(), stats.steps()));
      }
      return begun
          .<Past>map(state -> {
            ForkSeed kept = ForkSeed.of(agent, sequenceNr, state);
            return new Past.Found(
                request.get(), kept.rewound(new Rewound(attempt, stats, List.copyOf(deeds))));
          })
          .orElseGet(() ->
              new Past.Missing(
                  "the agent's history does not reach back to step %d of run %s"
                      .formatted(step, run)));
    }
  }
}
