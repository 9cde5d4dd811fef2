package dev.colony.journal;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.persistence.typed.JournalPersistFailed;
import org.apache.pekko.persistence.typed.JournalPersistRejected;
import org.apache.pekko.persistence.typed.PersistenceId;
import org.apache.pekko.persistence.typed.RecoveryFailed;
import org.apache.pekko.persistence.typed.javadsl.CommandHandler;
import org.apache.pekko.persistence.typed.javadsl.EventHandler;
import org.apache.pekko.persistence.typed.javadsl.EventSourcedBehavior;
import org.apache.pekko.persistence.typed.javadsl.RetentionCriteria;
import org.apache.pekko.persistence.typed.javadsl.SignalHandler;

/**
 * A persistent actor for tests: it keeps what it is told. Notes that begin with {@code +} leave
 * work outstanding, those with {@code -} settle it; a note that is no text cannot be stored.
 */
final class Diary extends EventSourcedBehavior<Diary.Command, Object, String> {

  sealed interface Command {
    record Note(Object event, ActorRef<Done> replyTo) implements Command {}

    record Notes(List<String> events, ActorRef<Done> replyTo) implements Command {}

    record Read(ActorRef<String> replyTo) implements Command {}
  }

  private final int snapshotEvery;
  private final Queue<Throwable> failures;

  /** {@code snapshotEvery} 0 for none; failures of the journal go into {@code failures}. */
  Diary(String id, int snapshotEvery, Queue<Throwable> failures) {
    super(PersistenceId.ofUniqueId(id));
    this.snapshotEvery = snapshotEvery;
    this.failures = failures;
  }

  @Override
  public String emptyState() {
    return "";
  }

  @Override
  public CommandHandler<Command, Object, String> commandHandler() {
    return (state, command) ->
        switch (command) {
          case Command.Note note ->
              Effect().persist(note.event()).thenRun(kept -> note.replyTo().tell(Done.done()));
          case Command.Notes notes ->
              Effect()
                  .persist(new ArrayList<Object>(notes.events()))
                  .thenRun(kept -> notes.replyTo().tell(Done.done()));
          case Command.Read read -> {
            read.replyTo().tell(state);
            yield Effect().none();
          }
        };
  }

  @Override
  public EventHandler<String, Object> eventHandler() {
    return (state, event) -> state + event + ";";
  }

  @Override
  public Set<String> tagsFor(Object event) {
    return switch (event) {
      case String text when text.startsWith("+") -> Set.of(OutstandingIndex.OUTSTANDING, "other");
      case String text when text.startsWith("-") -> Set.of(OutstandingIndex.SETTLED);
      default -> Set.of();
    };
  }

  @Override
  public RetentionCriteria retentionCriteria() {
    return snapshotEvery == 0
        ? RetentionCriteria.disabled()
        : RetentionCriteria.snapshotEvery(snapshotEvery, 2).withDeleteEventsOnSnapshot();
  }

  @Override
  public SignalHandler<String> signalHandler() {
    return newSignalHandlerBuilder()
        .onSignal(JournalPersistFailed.class, (state, signal) -> failures.add(signal.failure()))
        .onSignal(JournalPersistRejected.class, (state, signal) -> failures.add(signal.failure()))
        .onSignal(RecoveryFailed.class, (state, signal) -> failures.add(signal.failure()))
        .build();
  }
}
