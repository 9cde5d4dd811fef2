package dev.colony.core.lifecycle;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.action.ActionCall;
import dev.colony.agent.step.DurableMemory;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What an agent is born with that was forked from another: the other's memory, and how far its open
 * run had come, which is where the first run of the fork begins. No reader may change {@code
 * custom}.
 *
 * @param sequenceNr of the event up to which the origin's past is inherited
 * @param steps that the open run had completed; 0 where there was none
 * @param history the actions of those steps
 * @param custom the policy's own entries of that run
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record ForkSeed(
    AgentId origin,
    long sequenceNr,
    DurableMemory memory,
    int steps,
    SharedActionHistory history,
    ObjectNode custom) {

  public ForkSeed {
    Objects.requireNonNull(origin, "origin");
    memory = memory == null ? DurableMemory.EMPTY : memory;
    history = history == null ? SharedActionHistory.none() : history;
    custom = custom == null ? JsonNodeFactory.instance.objectNode() : custom;
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
    return new ForkSeed(origin, sequenceNr, memory.plus(part.memory), steps, calls, entries);
  }

  /** The same without the memory, which the agent has by then. */
  ForkSeed remembered() {
    return new ForkSeed(origin, sequenceNr, DurableMemory.EMPTY, steps, history, custom);
  }
}
