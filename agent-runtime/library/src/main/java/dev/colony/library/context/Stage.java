package dev.colony.library.context;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.blackboard.Await;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.blackboard.protocol.KeyTemplate;
import dev.colony.blackboard.protocol.Protocol;
import dev.colony.library.context.StageEvent.PromptText;
import dev.colony.library.context.StageEvent.StageKind;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
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

  /** Events of each kind that are kept. */
  static final int WINDOW = 200;

  /** Characters of one event's text; a longer one is cut. */
  private static final int MOST_CHARS = 4_000;

  /** Events that are read from the blackboard at once. */
  private static final int PAGE = 500;

  private final Blackboard board;
  private final int mostChars;
  private final int page;
  private final StageProtocol protocol = new StageProtocol();
  private final Lock reading = new ReentrantLock();
  private StageProjection projection;
  private Position read = Position.BEGINNING;
  private boolean standing;

  public Stage(Blackboard board) {
    this(board, WINDOW, MOST_CHARS, PAGE);
  }

  Stage(Blackboard board, int window, int mostChars, int page) {
    this.board = board;
    this.mostChars = mostChars;
    this.page = page;
    this.projection = StageProjection.empty(window);
  }

  /**
   * Makes something happen.
   *
   * @param actor 1 to 128 characters of {@code [A-Za-z0-9._~-]}
   * @throws dev.colony.blackboard.BlackboardException if it could not be stored
   */
  public void enter(StageKind kind, String actor, String text) {
    Write write = protocol.write(kind, actor, PromptText.cut(text, mostChars));
    Await.result(board.write(write));
  }

  /**
   * The same, once: if it was the last of its kind that the actor did, it is not done again.
   *
   * @param name by which others are told of the actor
   * @param id names it, the same for every attempt
   */
  public void enter(StageKind kind, String actor, String name, String text, String id) {
    Write write = protocol.write(kind, actor, name, PromptText.cut(text, mostChars), id);
    Await.result(
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
      List<BlackboardEvent> events;
      do {
        events = Await.result(board.history(protocol.events(), read, page));
        events.forEach(this::take);
      } while (events.size() == page);
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
    Await.result(board.query(Query.keys(protocol.pattern(kind).pattern()))).entries().stream()
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
        PromptText.cut(event.text(), mostChars));
  }

  /**
   * A stage on a scope: {@code stage:{kind}:{actor}}, the value being an object with a {@code
   * text}, and with a {@code name} where others are to know the actor by another one. Each write is
   * one event, in the order of positions; what the entry holds is the last of its kind and actor.
   * An agent that may write to the scope may write in any actor's name; access rules on the key
   * forbid it where that matters.
   */
  public static final class StageProtocol implements Protocol {

    private static final String KIND = "kind";
    private static final String ACTOR = "actor";
    private static final String NAME = "name";
    private static final String TEXT = "text";
    private static final String ID = "id";

    private final KeyTemplate keys = KeyTemplate.of("stage:{kind}:{actor}");

    /**
     * @param actor 1 to 128 characters of {@code [A-Za-z0-9._~-]}
     */
    public String key(StageKind kind, String actor) {
      return keys.format(Map.of(KIND, kind.word(), ACTOR, actor));
    }

    /** The write that makes something happen. */
    public Write write(StageKind kind, String actor, String text) {
      return Write.of(key(kind, actor), JsonNodeFactory.instance.objectNode().put(TEXT, text));
    }

    /** The same, naming what makes it happen, so that it happens once. */
    Write write(StageKind kind, String actor, String name, String text, String id) {
      return Write.of(
          key(kind, actor),
          JsonNodeFactory.instance.objectNode().put(TEXT, text).put(NAME, name).put(ID, id));
    }

    /** Whether it was this that an actor did last. */
    boolean wrote(Entry last, String id) {
      return last.value().path(ID).asText().equals(id);
    }

    /** All that happens on a stage. */
    public EventFilter events() {
      return new EventFilter.Keys(keys.pattern());
    }

    /** The keys of a kind, of all actors. */
    public KeyGlob pattern(StageKind kind) {
      return keys.pattern(Map.of(KIND, kind.word()));
    }

    /** What a write to the blackboard means; empty if it is not of a stage. */
    public Optional<StageEvent> event(BlackboardEvent event) {
      return switch (event) {
        case BlackboardEvent.Written written ->
            event(written.key(), written.position().ordinal(), written.value());
        // A goal or a scene whose entry is gone holds no longer; what was said stays said.
        case BlackboardEvent.Deleted gone ->
            event(gone.key(), gone.position().ordinal(), JsonNodeFactory.instance.nullNode())
                .filter(one -> StageKind.HOLDING.contains(one.kind()));
        case BlackboardEvent.Expired gone ->
            event(gone.key(), gone.position().ordinal(), JsonNodeFactory.instance.nullNode())
                .filter(one -> StageKind.HOLDING.contains(one.kind()));
        case BlackboardEvent.Cleared all -> Optional.empty();
      };
    }

    /** What an entry says, as the event that wrote it. */
    public Optional<StageEvent> event(Entry entry) {
      return event(entry.key(), entry.position().ordinal(), entry.value());
    }

    private Optional<StageEvent> event(String key, long turn, JsonNode value) {
      return keys.parse(key)
          .flatMap(parts ->
              StageKind.of(parts.get(KIND))
                  .map(kind ->
                      new StageEvent(
                          turn,
                          kind,
                          parts.get(ACTOR),
                          value.path(NAME).asText(parts.get(ACTOR)),
                          value.path(TEXT).asText(""))));
    }

    /** All that happens on the stage, except for what others think. */
    @Override
    public List<KeyGlob> inputPatterns(String agent) {
      return Arrays.stream(StageKind.values())
          .filter(kind -> !kind.isPrivate())
          .map(this::pattern)
          .toList();
    }
  }
}
