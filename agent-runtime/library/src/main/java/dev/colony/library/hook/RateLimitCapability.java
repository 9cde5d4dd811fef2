package dev.colony.library.hook;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentHook;
import dev.colony.agent.author.CapabilityContext;
import dev.colony.agent.author.HookContext;
import dev.colony.agent.author.HookSource;
import dev.colony.agent.author.Pointcut;
import dev.colony.agent.author.Range;
import dev.colony.agent.author.Registered;
import dev.colony.blackboard.clock.MonotonicClock;
import dev.colony.schema.JsonValues;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Limits how often the agent does something: asks a model, dispatches certain actions, calls a
 * hookable method. Before a call it waits for a permit on the call's own (virtual) thread; where
 * the wait would be longer than allowed, the call is refused at once with a retryable {@link
 * AgentException}, and no permit is taken. Limits hold for one agent. They outlast its leaving the
 * memory, to the precision of the node's clock; a crash gives back what the lost step had taken.
 */
@Registered(
    value = "hook.rate_limit",
    summary = "Limits how often model calls, actions or methods are called.")
public class RateLimitCapability extends AgentCapability implements HookSource {

  /** Outside other hooks, so that they do not count the time of the wait as the call's. */
  private static final int PRIORITY = 1000;

  /**
   * The limits; a call that several are for needs a permit of each.
   *
   * @param limits their names differ
   */
  public record Args(@Range(min = 1, max = 64) List<Limit> limits) {
    public Args {
      limits = List.copyOf(limits);
      if (limits.stream().map(Limit::name).distinct().count() < limits.size()) {
        throw new IllegalArgumentException("two limits have the same name");
      }
    }
  }

  /**
   * One limit.
   *
   * @param name in refusals; 1 to 64 characters of {@code [A-Za-z0-9_-]}
   * @param pointcut which calls it is for, for example {@code Inference.infer} or {@code
   *     ActionDispatcher.dispatch and action(web.*)}
   * @param permits that come back, evenly, within {@code per}
   * @param per more than 0, at most a day
   * @param burst calls that may be made at once after a pause
   * @param maxWait how long a call may wait, 0 to an hour
   */
  public record Limit(
      String name,
      String pointcut,
      @Range(min = 1, max = 1_000_000) int permits,
      Duration per,
      @Range(min = 1, max = 1_000_000) int burst,
      Duration maxWait) {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");

    public Limit {
      if (!NAME.matcher(name).matches()) {
        throw new IllegalArgumentException(
            "a limit's name is 1 to 64 of A-Z a-z 0-9 _ -, not: " + name);
      }
      Pointcut.parse(pointcut);
      within("per", per, Duration.ofNanos(1), Duration.ofDays(1));
      within("maxWait", maxWait, Duration.ZERO, Duration.ofHours(1));
    }

    private static void within(String what, Duration value, Duration least, Duration most) {
      if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
        throw new IllegalArgumentException(
            what + " is " + value + ", but must be " + least + " to " + most);
      }
    }
  }

  /** When the buckets that are not full will be, by the cluster time, in milliseconds. */
  private record Kept(Map<String, Long> fullAtMillis) {}

  private final InstantSource clock;
  private final Map<Limit, RateGate> gates = new LinkedHashMap<>();
  private final Map<String, Long> fullAtMillis = new TreeMap<>();

  RateLimitCapability(CapabilityContext context, Args args) {
    super(context);
    this.clock = context.blackboard().clock();
    for (Limit limit : args.limits()) {
      gates.put(
          limit, new RateGate(limit.permits(), limit.per(), limit.burst(), MonotonicClock.SYSTEM));
    }
  }

  @Override
  public List<AgentHook> hooks() {
    return gates.keySet().stream()
        .map(limit ->
            AgentHook.before(limit.name(), limit.pointcut(), call -> await(limit, call))
                .priority(PRIORITY)
                .timeout(limit.maxWait().plusSeconds(10)))
        .toList();
  }

  private void await(Limit limit, HookContext call) throws InterruptedException {
    RateGate gate = gates.get(limit);
    OptionalLong wait = gate.take(limit.maxWait());
    if (wait.isEmpty()) {
      throw new AgentException(
          "the limit "
              + limit.name()
              + " allows "
              + limit.permits()
              + " calls in "
              + limit.per()
              + ": "
              + call.joinPoint()
              + " would wait longer than "
              + limit.maxWait(),
          null,
          true);
    }
    synchronized (fullAtMillis) {
      fullAtMillis.put(limit.name(), clock.instant().plus(gate.untilFull()).toEpochMilli());
    }
    try {
      Thread.sleep(Duration.ofNanos(wait.getAsLong()));
    } catch (InterruptedException interrupted) {
      gate.putBack();
      throw interrupted;
    }
  }

  @Override
  public JsonNode snapshot() {
    long now = clock.instant().toEpochMilli();
    synchronized (fullAtMillis) {
      fullAtMillis.values().removeIf(full -> full <= now);
      return fullAtMillis.isEmpty()
          ? super.snapshot()
          : JsonValues.toJson(new Kept(new TreeMap<>(fullAtMillis)));
    }
  }

  @Override
  public void restore(JsonNode snapshot) {
    Kept kept = (Kept) JsonValues.read(snapshot, Kept.class);
    Instant now = clock.instant();
    synchronized (fullAtMillis) {
      gates.forEach((limit, gate) -> {
        Long full = kept.fullAtMillis.get(limit.name());
        if (full != null) {
          gate.fullAfter(Duration.between(now, Instant.ofEpochMilli(full)));
          fullAtMillis.put(limit.name(), full);
        }
      });
    }
  }
}
