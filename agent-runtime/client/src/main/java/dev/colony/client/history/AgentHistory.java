package dev.colony.client.history;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.client.AgentHandle.ForkReply;
import dev.colony.agent.client.AgentView;
import dev.colony.agent.client.HistoryPage;
import dev.colony.agent.client.HistoryPage.HistoryEntry;
import dev.colony.agent.client.HistoryPage.HistoryPosition;
import dev.colony.agent.client.HistoryPage.StateAt;
import dev.colony.agent.client.StepView;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.client.directory.DirectoryEntry;
import dev.colony.client.directory.DirectoryEntry.Origin;
import dev.colony.client.directory.HomeResolver;
import dev.colony.client.history.AgentHistory.Replayed;
import dev.colony.client.history.HistoryReading.Placed;
import dev.colony.core.lifecycle.ActiveRun;
import dev.colony.core.lifecycle.AgentSnapshot;
import dev.colony.core.lifecycle.Lifecycle;
import dev.colony.core.lifecycle.Rewinding.Past;
import dev.colony.core.lifecycle.Rewinding.PastReading;
import dev.colony.journal.Journal.PastEvents;
import dev.colony.journal.JournalReader;
import dev.colony.journal.JournalReader.Reach;
import dev.colony.journal.LostLogs;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * The past of agents, from their journals alone and without waking any: what they did, page by page
 * backwards, and how they stood at any time. It reaches back to the oldest event that is kept, see
 * {@code colony.agent.history.keep}. Thread-safe; stages fail as the journal does.
 *
 * <p>A page reads about as many events as it shows; where the run that a page ends in is not known
 * from the page before, on to the end of that run.
 */
public final class AgentHistory {

  private static final long RECORDS_PER_ENTRY = 8;
  private static final long GROWTH = 4;

  /** How often it is looked whether a run that ends is over, and what lies between two looks. */
  private static final int ENDING_LOOKS = 100;

  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);

  private final PastEvents journal;
  private final AgentInspector inspector;

  /**
   * @param lifecycle applies the journal's events, with the limits of the nodes
   */
  public AgentHistory(PastEvents journal, Lifecycle lifecycle) {
    this.journal = journal;
    this.inspector = new AgentInspector(journal, lifecycle);
  }

  public enum Wanted {
    ALL,
    STEPS;

    private boolean has(Placed placed) {
      return this == ALL || placed.entry() instanceof StepView;
    }
  }

  /**
   * What befell an agent, by the whole of its journal.
   *
   * @param open the run that is open at its end
   */
  public static List<HistoryEntry> entries(
      List<JournalReader.Stored> journal, Optional<RunId> open) {
    HistoryReading reading = HistoryReading.of(journal, true);
    return named(reading.entries(), reading, open);
  }

  /** See {@link AgentInspector#look}. */
  public CompletionStage<Optional<AgentView>> now(AgentId agent) {
    return inspector.look(agent);
  }

  /**
   * Which attempt of a run is the next, and how the run was asked for.
   *
   * @param number from 2
   */
  public record NextAttempt(int number, RunRequest request) {}

  /**
   * The attempt that a run's next one is, from a step on. Fails with {@link AgentException} where
   * the run cannot be rewound to there.
   */
  public CompletionStage<NextAttempt> nextAttempt(AgentId agent, RunId run, int step) {
    return nextAttempt(agent, run, step, ENDING_LOOKS);
  }

  /** A run whose result its caller has just been given is about to be over in the journal, too. */
  private CompletionStage<NextAttempt> nextAttempt(AgentId agent, RunId run, int step, int looks) {
    return inspector
        .rewinding(agent, run, step)
        .thenCompose(reading ->
            reading.ending() && looks > 0
                ? CompletableFuture.supplyAsync(
                        () -> nextAttempt(agent, run, step, looks - 1),
                        CompletableFuture.delayedExecutor(
                            BETWEEN_LOOKS.toMillis(), TimeUnit.MILLISECONDS))
                    .thenCompose(Function.identity())
                : CompletableFuture.completedStage(nextAttempt(reading)));
  }

  private static NextAttempt nextAttempt(PastReading reading) {
    reading
        .refusal()
        .ifPresent(why -> {
          throw AgentException.refused(why);
        });
    int next = reading.attempts() + 1;
    return switch (reading.past(next)) {
      case Past.Found found -> new NextAttempt(next, found.request());
      case Past.Missing missing -> throw AgentException.refused(missing.why());
    };
  }

  /** See {@link AgentInspector#at}. */
  public CompletionStage<StateAt> at(AgentId agent, long sequenceNr) {
    return inspector.at(agent, sequenceNr);
  }

  /**
   * In what an agent's states right after two of its events differ.
   *
   * @return fails with {@link AgentException} where one of them is not known
   */
  public CompletionStage<StateDifference> difference(AgentId agent, long from, long to) {
    return inspector
        .at(agent, from)
        .thenCombine(
            inspector.at(agent, to),
            (before, after) -> StateDifference.between(state(before), state(after)));
  }

  private static AgentView state(StateAt state) {
    if (state instanceof StateAt.Known known) {
      return known.agent();
    }
    throw AgentException.refused(state.words());
  }

  /**
   * What befell the agent last before a place. A step of which the journal holds the end only is
   * left out.
   *
   * @param before empty for the end
   * @param count at least 1; fewer entries only where the journal holds no more
   */
  public CompletionStage<HistoryPage> older(
      AgentId agent, Optional<HistoryPosition> before, int count, Wanted wanted) {
    return journal
        .reach(agent.persistenceId())
        .thenCompose(reach -> {
          long end =
              Math.min(before.map(HistoryPosition::sequenceNr).orElse(reach.last()), reach.last());
          return older(
              new Asked(agent, count, wanted, reach),
              new HistoryPosition(end, before.flatMap(HistoryPosition::open)),
              count * RECORDS_PER_ENTRY);
        });
  }

  /** What a page is made for. */
  private record Asked(AgentId agent, int count, Wanted wanted, Reach reach) {

    Asked {
      if (count < 1) {
        throw new IllegalArgumentException("a page holds 1 entry or more, not " + count);
      }
    }
  }

  /** Steps differ in how many records they take, so the stretch that is read grows. */
  private CompletionStage<HistoryPage> older(Asked asked, HistoryPosition end, long records) {
    long from = Math.max(asked.reach.first(), end.sequenceNr() - records + 1);
    return read(asked.agent, from, end.sequenceNr())
        .thenCompose(reading -> {
          boolean begins = from == asked.reach.first();
          List<Placed> held =
              reading.entries().stream()
                  .filter(asked.wanted::has)
                  .filter(one -> begins || one.entry().sequenceNr() > reading.cut())
                  .toList();
          if (held.size() < asked.count && !begins) {
            return older(asked, end, records * GROWTH);
          }
          List<Placed> shown = held.subList(Math.max(0, held.size() - asked.count), held.size());
          boolean all = begins && shown.size() == held.size();
          return open(asked.agent, end, shown, reading)
              .thenApply(open ->
                  new HistoryPage(
                      named(shown, reading, open),
                      all
                          ? Optional.empty()
                          : Optional.of(
                              new HistoryPosition(
                                  shown.getFirst().entry().sequenceNr() - 1,
                                  run(reading, shown.getFirst().ends(), open))),
                      new HistoryPosition(end.sequenceNr(), open)));
        });
  }

  private CompletionStage<HistoryReading> read(AgentId agent, long from, long to) {
    return from > to
        ? CompletableFuture.completedStage(HistoryReading.of(List.of(), true))
        : journal
            .events(agent.persistenceId(), from, to)
            .thenApply(events -> HistoryReading.of(events, from == 1));
  }

  /** The run that is open at the end of a stretch, where a step that is shown asks for it. */
  private CompletionStage<Optional<RunId>> open(
      AgentId agent, HistoryPosition end, List<Placed> shown, HistoryReading reading) {
    boolean asks =
        shown.stream()
            .anyMatch(one -> one.entry() instanceof StepView && one.ends() == reading.ends());
    return !asks || end.open().isPresent()
        ? CompletableFuture.completedStage(end.open())
        : inspector
            .look(agent)
            .thenCompose(now -> open(agent, end, now.orElseThrow(), RECORDS_PER_ENTRY));
  }

  /** The run that ends next, or the one that is open now. */
  private CompletionStage<Optional<RunId>> open(
      AgentId agent, HistoryPosition end, AgentView now, long records) {
    long to = Math.min(now.sequenceNr(), end.sequenceNr() + records);
    return read(agent, end.sequenceNr() + 1, to)
        .thenCompose(reading -> {
          if (reading.run(0).isPresent()) {
            return CompletableFuture.completedStage(reading.run(0));
          }
          return to == now.sequenceNr()
              ? CompletableFuture.completedStage(now.openRunId())
              : open(agent, HistoryPosition.after(to), now, records * GROWTH);
        });
  }

  private static List<HistoryEntry> named(
      List<Placed> shown, HistoryReading reading, Optional<RunId> open) {
    return shown.stream()
        .map(one ->
            one.entry() instanceof StepView step
                ? step.run(run(reading, one.ends(), open))
                : one.entry())
        .toList();
  }

  private static Optional<RunId> run(HistoryReading reading, int ends, Optional<RunId> open) {
    return reading.run(ends).or(() -> ends == reading.ends() ? open : Optional.empty());
  }

  /** What replaying an agent's journal up to one of its events gives. */
  public sealed interface Replayed {

    /**
     * The state right after it.
     *
     * @param lost what the store has lost of the events behind it
     */
    record State(
        AgentId agent, AgentSnapshot snapshot, long sequenceNr, Optional<LostLogs.Lost> lost)
        implements Replayed {}

    /** The journal does not tell. */
    record Missing(StateAt.Missing why) implements Replayed {}

    /** What callers see of it. */
    default StateAt view() {
      return switch (this) {
        case State state -> new StateAt.Known(Views.of(state));
        case Missing missing -> missing.why();
      };
    }
  }

  /** What a node reads of agents' journals other than to recover them. */
  @FunctionalInterface
  public interface HistoryReader {

    /** An agent's state right after one of its events. Fails as the journal does. */
    CompletionStage<Replayed> replay(AgentId agent, long sequenceNr);

    /** A run that has ended, as it was asked for. */
    record Ended(RunRequest request, AgentRun run) {}

    /**
     * The runs whose results were published behind one of the agent's events, by the events that
     * are still there, in their order; without those whose acceptance is no longer there. Fails as
     * the journal does. Cost: all events.
     */
    default CompletionStage<List<Ended>> ended(AgentId agent, long behind) {
      return CompletableFuture.completedStage(List.of());
    }

    /**
     * What the agent's journal tells of a run that is to be executed again from a step on. Fails as
     * the journal does. Cost: all events that are there.
     */
    default CompletionStage<PastReading> rewinding(AgentId agent, RunId run, int step) {
      return CompletableFuture.failedStage(
          AgentException.refused("the journal of " + agent + " cannot be read here"));
    }
  }

  /**
   * When an agent's state is to be stored as a snapshot. A snapshot holds the actions of the run
   * that is open, so that at even distances a run of n steps would write n squared of them. Here
   * the distance doubles with them, so that a run writes about as much in snapshots as in events,
   * and a recovery reads the state and about as much again. Pure; follows from the state and the
   * number alone, so that it is the same after a crash.
   *
   * @param every the least distance, in events, at least 1
   */
  public record SnapshotSpacing(int every) {

    public SnapshotSpacing {
      if (every < 1) {
        throw new IllegalArgumentException("a snapshot every " + every + " events");
      }
    }

    /** Whether one is due at the event of this number, which led to this state. */
    public boolean due(AgentSnapshot state, long sequenceNr) {
      return sequenceNr % distance(state) == 0;
    }

    /** {@code every} times the power of two that covers the open run's actions. */
    private long distance(AgentSnapshot state) {
      long actions = state.active().map(ActiveRun::history).map(calls -> calls.size()).orElse(0);
      long distance = every;
      while (distance < actions) {
        distance *= 2;
      }
      return distance;
    }
  }

  /**
   * Makes agents that begin with another's past. A fork has the memory of its origin as it was
   * after an event, and its first run begins with the actions and the policy's entries of the run
   * that was open there. It has nothing of what was under way: no runs, intents, waits, children,
   * approvals, suspension; and keys of its own for whatever it does to the world. The origin
   * notices nothing.
   *
   * <p>What is written here is the directory entry, which names the origin; the fork reads the past
   * itself when it is first started, and keeps it in its own journal from then on. Thread-safe;
   * stages fail as the blackboard and the journal do.
   */
  public static final class Forking {

    private final AgentDirectory directory;
    private final AgentHistory history;
    private final HomeResolver homes;

    /**
     * @param homes where new agents are to live
     */
    public Forking(AgentDirectory directory, AgentHistory history, HomeResolver homes) {
      this.directory = directory;
      this.history = history;
      this.homes = homes;
    }

    /**
     * Forks an agent and has the fork started. Asking for the same again changes nothing and is
     * answered as the first time.
     *
     * @param sequenceNr of the last event of the origin that is inherited, from 1
     */
    public CompletionStage<ForkReply> fork(AgentId origin, long sequenceNr, AgentId fork) {
      if (!origin.tenant().equals(fork.tenant()) || !origin.colony().equals(fork.colony())) {
        return CompletableFuture.completedStage(new ForkReply.OtherColony(fork, origin));
      }
      Origin wanted = new Origin(origin, sequenceNr);
      return directory
          .find(fork)
          .thenCompose(standing ->
              standing.isPresent()
                  ? CompletableFuture.completedStage(reply(standing.get(), fork, wanted))
                  : make(wanted, fork));
    }

    private CompletionStage<ForkReply> make(Origin origin, AgentId fork) {
      return history
          .at(origin.agent(), origin.sequenceNr())
          .thenCompose(state ->
              switch (state) {
                case StateAt.Known known -> enter(origin, fork, known.agent().blueprint());
                case StateAt.Missing missing ->
                    CompletableFuture.completedStage(new ForkReply.NoSuchPast(missing));
              });
    }

    private CompletionStage<ForkReply> enter(
        Origin origin, AgentId fork, AgentBlueprint blueprint) {
      return directory
          .fork(fork, homes.homeOf(fork, blueprint), blueprint, origin)
          .thenApply(standing -> reply(standing, fork, origin));
    }

    private static ForkReply reply(DirectoryEntry standing, AgentId fork, Origin wanted) {
      return standing.origin().equals(Optional.of(wanted))
          ? new ForkReply.Forked(fork, wanted.agent(), wanted.sequenceNr())
          : new ForkReply.Taken(fork);
    }
  }
}
