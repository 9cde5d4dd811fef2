package dev.colony.agent.author;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.SessionId;
import dev.colony.agent.stream.StreamEntry;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * What an iteration has changed, so that a step's record is as large as its change.
 *
 * @param custom the policy's entries that changed; JSON null for one that is gone
 * @param streams in the order in which they were taken
 * @param capabilities the new snapshots, by capability key; JSON null for one that is gone
 * @param disabled the keys of the capabilities that are not active from here on; empty if that did
 *     not change
 * @param session the session of the run from here on; empty if that did not change
 * @param policy the policy's entries of the agent that changed; JSON null for one that is gone
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record StepDelta(
    ObjectNode custom,
    List<StreamAppend> streams,
    Map<String, JsonNode> capabilities,
    @JsonInclude(JsonInclude.Include.NON_ABSENT) Optional<Set<String>> disabled,
    @JsonInclude(JsonInclude.Include.NON_ABSENT) Optional<SessionId> session,
    ObjectNode policy) {

  public static final StepDelta NONE =
      new StepDelta(null, List.of(), Map.of(), Optional.empty(), Optional.empty());

  public StepDelta {
    custom = custom == null ? JsonNodeFactory.instance.objectNode() : custom;
    streams = streams == null ? List.of() : List.copyOf(streams);
    capabilities = capabilities == null ? Map.of() : Map.copyOf(capabilities);
    disabled = disabled == null ? Optional.empty() : disabled.map(Set::copyOf);
    session = session == null ? Optional.empty() : session;
    policy = policy == null ? JsonNodeFactory.instance.objectNode() : policy;
  }

  /** One that leaves the policy's entries of the agent as they are. */
  public StepDelta(
      ObjectNode custom,
      List<StreamAppend> streams,
      Map<String, JsonNode> capabilities,
      Optional<Set<String>> disabled,
      Optional<SessionId> session) {
    this(custom, streams, capabilities, disabled, session, null);
  }

  /** Which entries differ; JSON null for one that is gone. */
  public static ObjectNode changes(JsonNode before, ObjectNode after) {
    ObjectNode changed = JsonNodeFactory.instance.objectNode();
    after
        .properties()
        .forEach(one -> {
          if (!one.getValue().equals(before.get(one.getKey()))) {
            changed.set(one.getKey(), one.getValue().deepCopy());
          }
        });
    before
        .fieldNames()
        .forEachRemaining(name -> {
          if (!after.has(name)) {
            changed.putNull(name);
          }
        });
    return changed;
  }

  /** Entries with some of them changed; the given ones where nothing has. */
  public static ObjectNode applied(ObjectNode entries, ObjectNode changes) {
    if (changes.isEmpty()) {
      return entries;
    }
    ObjectNode next = JsonNodeFactory.instance.objectNode();
    next.setAll(entries);
    for (Map.Entry<String, JsonNode> change : changes.properties()) {
      if (change.getValue().isNull()) {
        next.remove(change.getKey());
      } else {
        next.set(change.getKey(), change.getValue());
      }
    }
    return next;
  }

  /**
   * An entry that a consciousness stream has taken.
   *
   * @param keep how many entries the stream holds, this one included
   */
  public record StreamAppend(String stream, int keep, StreamEntry entry) {

    public StreamAppend {
      Objects.requireNonNull(stream, "stream");
      Objects.requireNonNull(entry, "entry");
    }
  }
}
