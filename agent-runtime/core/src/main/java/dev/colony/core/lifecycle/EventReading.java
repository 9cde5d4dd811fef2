package dev.colony.core.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.EventBatch;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.value.ValueRules;
import dev.colony.core.lifecycle.EventSubscription.Watch;
import dev.colony.core.lifecycle.StepSize.JsonSize;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Makes a run, or a delivery to one, of the writes that were found in a scope. Pure. */
public final class EventReading {

  private static final String REQUESTED_BY = "blackboard";

  private static final int MOST_EVENTS = 32;

  /** Of their values together, about; one that is larger by itself is left out. */
  private static final int MOST_BYTES = 64 * 1024;

  private final int mostEvents;
  private final int mostBytes;

  /** With the usual bounds of what one run is started for. */
  public EventReading() {
    this(MOST_EVENTS, MOST_BYTES);
  }

  /**
   * @param mostBytes of their values together, about
   */
  public EventReading(int mostEvents, int mostBytes) {
    this.mostEvents = mostEvents;
    this.mostBytes = mostBytes;
  }

  /** How many writes to ask for: one more than a run takes, to know whether there are more. */
  public int ask() {
    return mostEvents + 1;
  }

  /**
   * What the agent is to be told.
   *
   * @param agent whose run it is
   * @param watch as it was when the reading began
   * @param found the first matching writes after those taken, at most {@link #ask}, in their order
   * @param missed whether the write that is due is no longer stored
   * @param intoRun whether they are for the run that is open; otherwise for one of their own
   */
  public AgentCommand.TakeEvents take(
      AgentId agent,
      Watch watch,
      List<BlackboardEvent.Written> found,
      boolean missed,
      boolean intoRun,
      Instant now) {
    List<EventBatch.Event> events = batch(found);
    Optional<Position> next =
        events.size() < found.size()
            ? Optional.of(found.get(events.size()).position())
            : Optional.empty();
    Optional<Position> last =
        events.isEmpty() ? Optional.empty() : Optional.of(events.getLast().position());
    // Whatever matched up to what was noticed before the reading began has been found by it.
    Position upTo = next.isPresent() ? last.orElseThrow() : latest(watch.noticed(), last);
    Optional<EventBatch> batch =
        events.isEmpty() && !missed
            ? Optional.empty()
            : Optional.of(new EventBatch(watch.scope(), events, missed));
    return new AgentCommand.TakeEvents(
        watch.scope(),
        batch.filter(some -> !intoRun).map(some -> run(agent, watch, some, now)),
        batch.filter(some -> intoRun),
        upTo,
        next,
        now);
  }

  private List<EventBatch.Event> batch(List<BlackboardEvent.Written> found) {
    List<EventBatch.Event> events = new ArrayList<>();
    long left = mostBytes;
    for (BlackboardEvent.Written written : found) {
      // What another program has written may break the rules that our own doors hold.
      boolean fits =
          ValueRules.fault("", written.value()).isEmpty()
              && !JsonSize.exceeds(written.value(), mostBytes);
      long after = fits ? JsonSize.left(written.value(), left) : left;
      if (events.size() == mostEvents || after < 0) {
        break;
      }
      left = after;
      events.add(event(written, fits ? Optional.of(written.value()) : Optional.empty()));
    }
    return events;
  }

  private static RunRequest run(AgentId agent, Watch watch, EventBatch batch, Instant now) {
    Position first = batch.events().isEmpty() ? watch.due() : batch.events().getFirst().position();
    return run(ExecutionContext.of(agent, id(batch, first)), batch, first, now);
  }

  /**
   * The run for a batch, named by its first write, so that reading again after a crash gives the
   * same run, however many have come behind it.
   *
   * @param of whose tenant and colony it is
   */
  static RunRequest run(ExecutionContext of, EventBatch batch, Position first, Instant now) {
    RunId id = id(batch, first);
    return new RunRequest(
        new ExecutionContext(of.tenant(), of.colony(), Optional.empty(), id, id.value()),
        EventBatch.NAMESPACE,
        batch.toJson(),
        REQUESTED_BY,
        now);
  }

  private static RunId id(EventBatch batch, Position first) {
    UUID scope = UUID.nameUUIDFromBytes(batch.scope().path().getBytes(StandardCharsets.UTF_8));
    return new RunId("woken-" + scope + "-" + first);
  }

  private static EventBatch.Event event(BlackboardEvent.Written written, Optional<JsonNode> value) {
    return new EventBatch.Event(
        written.key(),
        written.position(),
        written.at(),
        written.writer(),
        written.oldVersion(),
        written.version(),
        written.tags(),
        value);
  }

  private static Position latest(Position one, Optional<Position> other) {
    return other.filter(position -> position.compareTo(one) > 0).orElse(one);
  }
}
