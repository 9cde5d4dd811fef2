package dev.colony.library.context;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Write;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The stage of one scope, as one reader follows it. Thread-safe; calls block until the blackboard
 * has answered.
 *
 * <p>Reading goes on where the last reading ended; the first one begins with the oldest event that
 * is stored. A goal and a scene hold though their events are no longer stored, because their
 * entries are; lines that were said before the oldest stored event are neither shown nor counted.
 */
public final class Stage {

  private final Blackboard board;
  private final ContextSettings settings;
  private final StageProtocol protocol = new StageProtocol();
  private final Lock reading = new ReentrantLock();
  private StageProjection projection;
  private Position read = Position.BEGINNING;
  private boolean standing;

  public Stage(Blackboard board, ContextSettings settings) {
    this.board = board;
    this.settings = settings;
    this.projection = StageProjection.empty(settings.window());
  }

  /**
   * Makes something happen.
   *
   * @param actor 1 to 128 characters of {@code [A-Za-z0-9._~-]}
   * @throws dev.colony.blackboard.BlackboardException if it could not be stored
   */
  public void enter(StageKind kind, String actor, String text) {
    Write write = protocol.write(kind, actor, PromptText.cut(text, settings.maxTextChars()));
    await(board.write(write));
  }

  /**
   * The same, once: if it was the last of its kind that the actor did, it is not done again.
   *
   * @param name by which others are told of the actor
   * @param id names it, the same for every attempt
   */
  public void enter(StageKind kind, String actor, String name, String text, String id) {
    Write write =
        protocol.write(kind, actor, name, PromptText.cut(text, settings.maxTextChars()), id);
    await(
        board.transaction(tx ->
            tx.read(write.key())
                .thenCompose(last ->
                    last.filter(entry -> protocol.wrote(entry, id)).isPresent()
                        ? CompletableFuture.completedStage(null)
                        : tx.write(write))));
  }

  /**
   * What stands on the stage now: what was acknowledged before this call is in it.
   *
   * @throws dev.colony.blackboard.BlackboardException if it could not be read
   */
  public StageProjection project() {
    reading.lock();
    try {
      List<BlackboardEvent> page;
      do {
        page = await(board.history(protocol.events(), read, settings.page()));
        page.forEach(this::take);
      } while (page.size() == settings.page());
      if (!standing) {
        StageKind.HOLDING.forEach(this::takeStanding);
        standing = true;
      }
      return projection;
    } finally {
      reading.unlock();
    }
  }

  private void take(BlackboardEvent event) {
    if (event instanceof BlackboardEvent.Cleared) {
      projection = projection.cleared();
    }
    protocol.event(event).map(this::cut).ifPresent(one -> projection = projection.after(one));
    read = event.position();
  }

  private void takeStanding(StageKind kind) {
    await(board.query(Query.keys(protocol.pattern(kind).pattern()))).entries().stream()
        .max(Comparator.comparing(Entry::position))
        .flatMap(protocol::event)
        .map(this::cut)
        .ifPresent(one -> projection = projection.standing(one));
  }

  /** Others may write longer texts than this reader keeps. */
  private StageEvent cut(StageEvent event) {
    return new StageEvent(
        event.turn(),
        event.kind(),
        event.actor(),
        event.name(),
        PromptText.cut(event.text(), settings.maxTextChars()));
  }

  private static <T> T await(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().join();
    } catch (CompletionException failed) {
      throw failed.getCause() instanceof RuntimeException cause ? cause : failed;
    }
  }
}
