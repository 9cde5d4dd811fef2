package dev.colony.core.lifecycle;

import dev.colony.agent.EventBatch;
import dev.colony.agent.RunRequest;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.EventSubscription.Watch;
import dev.colony.core.lifecycle.StepRecords.Verdict;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Takes note of the writes that an agent handles, and hands them to its runs. */
final class EventTaking {

  private EventTaking() {}

  static Verdict decide(AgentSnapshot state, AgentCommand.NoticeEvents notice) {
    Optional<Watch> watch = state.watch(notice.scope());
    if (watch.isEmpty() || state.state().terminal()) {
      return new Verdict.Refused("the agent does not handle events of " + notice.scope());
    }
    if (watch.get().knows(notice.position())) {
      return new Verdict.Repeated();
    }
    int left = state.watch(watch.get().noticed(notice.position())).left();
    return Verdict.journal(
        new AgentEvent.EventsNoticed(notice.scope(), notice.position(), left, notice.at()));
  }

  /**
   * Beyond the limit of accepted runs, if need be: a scope has one run in the queue at most, and
   * writes that the blackboard has let go of cannot be refused.
   */
  static Verdict decide(AgentSnapshot state, AgentCommand.TakeEvents take) {
    Optional<Watch> watch = state.watch(take.scope());
    boolean awaited =
        watch.isPresent()
            && take.upTo().compareTo(watch.get().taken()) > 0
            && !state.state().terminal();
    if (!awaited) {
      return new Verdict.Refused(
          "events of " + take.scope() + " up to " + take.upTo() + " are not awaited");
    }
    boolean deliverable =
        take.delivered().isEmpty()
            || take.run().isEmpty() && state.active().filter(ActiveRun::betweenSteps).isPresent();
    if (!deliverable) {
      return new Verdict.Refused("no run is between two steps to take events");
    }
    List<AgentEvent> events = new ArrayList<>();
    AgentSnapshot next = state;
    if (take.run().isPresent()) {
      AgentEvent.RunAccepted accepted = Accepting.event(state, take.run().get(), take.at());
      events.add(accepted);
      next = Accepting.apply(state, accepted);
    }
    AgentEvent.EventsTaken taken =
        new AgentEvent.EventsTaken(
            take.scope(), take.delivered(), take.upTo(), take.next(), 0, take.at());
    events.add(
        new AgentEvent.EventsTaken(
            take.scope(),
            take.delivered(),
            take.upTo(),
            take.next(),
            apply(next, taken).left(),
            take.at()));
    return new Verdict.Journal(events);
  }

  static AgentSnapshot apply(AgentSnapshot state, AgentEvent.EventsNoticed noticed) {
    return state.watch(watch(state, noticed.scope()).noticed(noticed.position()));
  }

  static AgentSnapshot apply(AgentSnapshot state, AgentEvent.EventsTaken taken) {
    AgentSnapshot next = state.watch(watch(state, taken.scope()).taken(taken.upTo(), taken.next()));
    return taken
        .delivered()
        .map(batch -> next.active(active(next).delivered(batch)).moved(LifecycleCommand.UNBLOCK))
        .orElse(next);
  }

  /** The runs for events that were delivered into one that ends before a step has seen them. */
  static List<RunRequest> unseen(AgentSnapshot state, Instant now) {
    if (state.state().terminal()) {
      return List.of();
    }
    RunRequest ending = state.queue().getFirst().request();
    Optional<EventBatch> own = EventBatch.of(ending);
    return active(state).events().stream()
        .filter(batch -> !own.equals(Optional.of(batch)))
        .filter(batch -> !batch.events().isEmpty())
        .map(batch ->
            EventReading.run(ending.context(), batch, batch.events().getFirst().position(), now))
        .toList();
  }

  private static ActiveRun active(AgentSnapshot state) {
    return state.active().orElseThrow(() -> new IllegalStateException("events without a run"));
  }

  private static Watch watch(AgentSnapshot state, Scope scope) {
    return state
        .watch(scope)
        .orElseThrow(
            () -> new IllegalStateException("events of " + scope + ", which is not watched"));
  }

  /**
   * Has a signal about an agent's life take effect once, though it is delivered at least once, and
   * in the order in which it was said: what comes behind something later makes no difference.
   */
  static final class SignalOrder {

    private SignalOrder() {}

    /**
     * The signal is journaled with what follows from it; also where nothing does because the agent
     * is so already: once it is so no longer, the same signal must not be applied again. A refusal
     * changes nothing.
     *
     * @param signal where it was given, in the agent's own scope
     * @param said what its intent leads to
     */
    static Verdict decide(
        AgentSnapshot state, Position signal, Instant at, Supplier<Verdict> said) {
      if (state.status().overtakes(signal)) {
        return new Verdict.Repeated();
      }
      List<AgentEvent> events = new ArrayList<>();
      events.add(new AgentEvent.SignalApplied(signal, at));
      return switch (said.get()) {
        case Verdict.Journal journal -> {
          events.addAll(journal.events());
          yield new Verdict.Journal(events);
        }
        case Verdict.Repeated repeated -> new Verdict.Journal(events);
        case Verdict.Refused refused -> refused;
        case Verdict.Busy busy -> busy;
      };
    }
  }
}
