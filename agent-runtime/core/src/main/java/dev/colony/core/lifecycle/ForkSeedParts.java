package dev.colony.core.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.action.ActionCall;
import dev.colony.agent.step.DurableMemory;
import dev.colony.agent.stream.StreamEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Cuts what an agent inherits into parts, in an order in which appending them gives the whole. The
 * journal refuses an event that is too large, and a past may be larger than any event. Used once.
 */
final class ForkSeedParts {

  private final ForkSeed whole;
  private final long mostBytes;
  private final List<ForkSeed> done = new ArrayList<>();

  private long bytes;
  private Map<String, List<StreamEntry>> streams = new HashMap<>();
  private Map<String, JsonNode> capabilities = new HashMap<>();
  private Set<String> disabled = new HashSet<>();
  private ObjectNode policy = JsonNodeFactory.instance.objectNode();
  private List<ActionCall> history = new ArrayList<>();
  private ObjectNode custom = JsonNodeFactory.instance.objectNode();

  ForkSeedParts(ForkSeed whole, long mostBytes) {
    this.whole = whole;
    this.mostBytes = mostBytes;
  }

  /** At least one. */
  List<ForkSeed> all() {
    DurableMemory memory = whole.memory();
    memory
        .streams()
        .forEach((stream, entries) ->
            entries.forEach(entry -> {
              room(stream.length() + JsonSize.of(entry.content()));
              streams.computeIfAbsent(stream, name -> new ArrayList<>()).add(entry);
            }));
    memory
        .capabilities()
        .forEach((key, snapshot) -> {
          room(key.length() + JsonSize.of(snapshot));
          capabilities.put(key, snapshot);
        });
    memory
        .disabled()
        .forEach(key -> {
          room(key.length());
          disabled.add(key);
        });
    entries(memory.policy(), entry -> policy.set(entry.getKey(), entry.getValue()));
    entries(whole.custom(), entry -> custom.set(entry.getKey(), entry.getValue()));
    whole
        .history()
        .forEach(call -> {
          room(StepSize.of(call));
          history.add(call);
        });
    close();
    return done;
  }

  private void entries(ObjectNode all, Consumer<Map.Entry<String, JsonNode>> into) {
    for (Map.Entry<String, JsonNode> entry : all.properties()) {
      room(entry.getKey().length() + JsonSize.of(entry.getValue()));
      into.accept(entry);
    }
  }

  /** Begins another part where the next element does not fit into this one. */
  private void room(long more) {
    if (bytes > 0 && bytes + more > mostBytes) {
      close();
    }
    bytes += more;
  }

  private void close() {
    done.add(
        new ForkSeed(
            whole.origin(),
            whole.sequenceNr(),
            new DurableMemory(streams, capabilities, disabled, policy),
            whole.steps(),
            SharedActionHistory.of(history),
            custom));
    bytes = 0;
    streams = new HashMap<>();
    capabilities = new HashMap<>();
    disabled = new HashSet<>();
    policy = JsonNodeFactory.instance.objectNode();
    history = new ArrayList<>();
    custom = JsonNodeFactory.instance.objectNode();
  }
}
