package dev.colony.agent.author;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.author.StepDelta.StreamAppend;
import dev.colony.agent.stream.StreamEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What an agent keeps from step to step and from run to run: part of its journaled state, and
 * therefore of what is kept across suspension. Immutable; no reader may change {@code policy}.
 *
 * @param streams the entries of each consciousness stream, the oldest first
 * @param capabilities the snapshots of the capabilities that have one
 * @param disabled the capabilities that the policy has put away
 * @param policy the policy's own entries, beyond any run
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record DurableMemory(
    Map<String, List<StreamEntry>> streams,
    Map<String, JsonNode> capabilities,
    Set<String> disabled,
    ObjectNode policy) {

  public static final DurableMemory EMPTY = new DurableMemory(Map.of(), Map.of(), Set.of());

  public DurableMemory {
    streams = streams == null ? Map.of() : Map.copyOf(streams);
    capabilities = capabilities == null ? Map.of() : Map.copyOf(capabilities);
    disabled = disabled == null ? Set.of() : Set.copyOf(disabled);
    policy = policy == null ? JsonNodeFactory.instance.objectNode() : policy;
  }

  /** One whose policy has no entries. */
  public DurableMemory(
      Map<String, List<StreamEntry>> streams,
      Map<String, JsonNode> capabilities,
      Set<String> disabled) {
    this(streams, capabilities, disabled, null);
  }

  /** The same after a step. Cost: linear in the delta and the windows of the streams it touches. */
  public DurableMemory after(StepDelta delta) {
    boolean unchanged =
        delta.streams().isEmpty()
            && delta.capabilities().isEmpty()
            && delta.disabled().isEmpty()
            && delta.policy().isEmpty();
    if (unchanged) {
      return this;
    }
    Map<String, List<StreamEntry>> grown = new HashMap<>(streams);
    delta
        .streams()
        .forEach(append ->
            grown.merge(append.stream(), List.of(append.entry()), (old, one) -> roll(old, append)));
    Map<String, JsonNode> kept = new HashMap<>(capabilities);
    delta
        .capabilities()
        .forEach((key, snapshot) -> {
          if (snapshot.isNull()) {
            kept.remove(key);
          } else {
            kept.put(key, snapshot);
          }
        });
    return new DurableMemory(
        grown, kept, delta.disabled().orElse(disabled), StepDelta.applied(policy, delta.policy()));
  }

  /** This and what another one holds behind it. */
  public DurableMemory plus(DurableMemory other) {
    Map<String, List<StreamEntry>> grown = new HashMap<>(streams);
    other.streams.forEach((stream, entries) -> grown.merge(stream, entries, DurableMemory::joined));
    Map<String, JsonNode> kept = new HashMap<>(capabilities);
    kept.putAll(other.capabilities);
    Set<String> away = new HashSet<>(disabled);
    away.addAll(other.disabled);
    return new DurableMemory(grown, kept, away, StepDelta.applied(policy, other.policy));
  }

  private static List<StreamEntry> joined(List<StreamEntry> one, List<StreamEntry> other) {
    List<StreamEntry> both = new ArrayList<>(one);
    both.addAll(other);
    return both;
  }

  private static List<StreamEntry> roll(List<StreamEntry> old, StreamAppend append) {
    List<StreamEntry> rolled = new ArrayList<>(old);
    rolled.add(append.entry());
    int over = rolled.size() - append.keep();
    return List.copyOf(over > 0 ? rolled.subList(over, rolled.size()) : rolled);
  }
}
