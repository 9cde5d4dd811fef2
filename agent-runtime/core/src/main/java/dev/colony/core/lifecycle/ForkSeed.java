package dev.colony.core.lifecycle;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.author.DurableMemory;
import dev.colony.agent.stream.StreamEntry;
import dev.colony.core.lifecycle.StepSize.JsonSize;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What an agent is born with that was forked from another: the other's memory, and how far its open
 * run had come, which is where the first run of the fork begins. No reader may change {@code
 * custom}.
 *
 * @param sequenceNr of the event up to which the origin's past is inherited
 * @param steps that the open run had completed; 0 where there was none
 * @param history the actions of those steps
 * @param custom the policy's own entries of that run
 * @param rewound present where it is no fork: the same run of the same agent goes on from there
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record ForkSeed(
    AgentId origin,
    long sequenceNr,
    DurableMemory memory,
    int steps,
    SharedActionHistory history,
    ObjectNode custom,
    Optional<Rewound> rewound) {

  public ForkSeed {
    Objects.requireNonNull(origin, "origin");
    memory = memory == null ? DurableMemory.EMPTY : memory;
    history = history == null ? SharedActionHistory.none() : history;
    custom = custom == null ? JsonNodeFactory.instance.objectNode() : custom;
    rewound = rewound == null ? Optional.empty() : rewound;
  }

  /** That of a fork. */
  public ForkSeed(
      AgentId origin,
      long sequenceNr,
      DurableMemory memory,
      int steps,
      SharedActionHistory history,
      ObjectNode custom) {
    this(origin, sequenceNr, memory, steps, history, custom, Optional.empty());
  }

  /** The same for a run that is rewound. */
  ForkSeed rewound(Rewound past) {
    return new ForkSeed(origin, sequenceNr, memory, steps, history, custom, Optional.of(past));
  }

  /** What an agent forked from another would inherit of it, as it was after an event. */
  public static ForkSeed of(AgentId origin, long sequenceNr, AgentSnapshot past) {
    Optional<ActiveRun> open = past.active().filter(run -> run.ended().isEmpty());
    Optional<ForkSeed> own = past.active().isPresent() ? Optional.empty() : past.forkSeed();
    return new ForkSeed(
        origin,
        sequenceNr,
        past.memory(),
        open.map(run -> run.stats().steps()).or(() -> own.map(ForkSeed::steps)).orElse(0),
        open.map(ActiveRun::history).or(() -> own.map(ForkSeed::history)).orElse(null),
        open.map(ActiveRun::custom).or(() -> own.map(ForkSeed::custom)).orElse(null));
  }

  /**
   * The same in parts that each fit into an event; {@link #plus} puts them together again.
   *
   * @param mostBytes how much of it a part holds, about; more only where a single element does
   */
  List<ForkSeed> parts(long mostBytes) {
    return new ForkSeedParts(this, mostBytes).all();
  }

  /** This and a further part of the same. */
  ForkSeed plus(ForkSeed part) {
    SharedActionHistory calls = history;
    for (ActionCall call : part.history) {
      calls = calls.plus(call);
    }
    ObjectNode entries = custom.deepCopy();
    entries.setAll(part.custom);
    return new ForkSeed(
        origin,
        sequenceNr,
        memory.plus(part.memory),
        steps,
        calls,
        entries,
        rewound.flatMap(own -> part.rewound.map(own::plus)));
  }

  /** The same without the memory, which the agent has by then. */
  ForkSeed remembered() {
    return new ForkSeed(origin, sequenceNr, DurableMemory.EMPTY, steps, history, custom, rewound);
  }

  /**
   * Cuts what an agent inherits into parts, in an order in which appending them gives the whole.
   * The journal refuses an event that is too large, and a past may be larger than any event. Used
   * once.
   */
  static final class ForkSeedParts {

    private final ForkSeed whole;
    private final long mostBytes;
    private final List<ForkSeed> done = new ArrayList<>();

    private long bytes;
    private Map<String, List<StreamEntry>> streams = new HashMap<>();
    private Map<String, JsonNode> capabilities = new HashMap<>();
    private Set<String> disabled = new HashSet<>();
    private ObjectNode policy = JsonNodeFactory.instance.objectNode();
    private List<ActionCall> history = new ArrayList<>();
    private List<Rewound.Deed> deeds = new ArrayList<>();
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
      whole
          .rewound()
          .map(Rewound::deeds)
          .orElse(List.of())
          .forEach(deed -> {
            room(deed.key().length() + StepSize.of(new ActionCall(deed.action(), deed.result())));
            deeds.add(deed);
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
              custom,
              whole.rewound().map(past -> new Rewound(past.attempt(), past.spent(), deeds))));
      bytes = 0;
      streams = new HashMap<>();
      capabilities = new HashMap<>();
      disabled = new HashSet<>();
      policy = JsonNodeFactory.instance.objectNode();
      history = new ArrayList<>();
      deeds = new ArrayList<>();
      custom = JsonNodeFactory.instance.objectNode();
    }
  }
}
