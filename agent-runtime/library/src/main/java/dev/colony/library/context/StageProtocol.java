package dev.colony.library.context;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.key.KeyGlob;
import dev.colony.blackboard.protocol.KeyTemplate;
import dev.colony.blackboard.protocol.Protocol;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A stage on a scope: {@code stage:{kind}:{actor}}, the value being an object with a {@code text},
 * and with a {@code name} where others are to know the actor by another one. Each write is one
 * event, in the order of positions; what the entry holds is the last of its kind and actor. An
 * agent that may write to the scope may write in any actor's name; access rules on the key forbid
 * it where that matters.
 */
public final class StageProtocol implements Protocol {

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
