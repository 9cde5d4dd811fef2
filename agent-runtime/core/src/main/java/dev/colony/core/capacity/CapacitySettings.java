package dev.colony.core.capacity;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.blackboard.settings.Settings;
import dev.colony.core.capacity.Preemption.Aging;
import dev.colony.core.capacity.SlotScheduler.SlotRequest;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Who gets the slots of nodes.
 *
 * @param strictEvery every how many-th slot goes to the agent that has waited longest, priority
 *     counted in, however much its tenant has
 * @param mostYielding agents of a node that may be told to give way and be in their last step at
 *     once; 0 where none gives way
 */
public record CapacitySettings(
    NodeCapacity node,
    Shares shares,
    int strictEvery,
    Preemption preemption,
    int mostYielding,
    Waiting waiting,
    Reports reports) {

  /**
   * Waiting in a node's memory.
   *
   * @param most that wait there; what is beyond is suspended and waits durably
   * @param longest before an agent may be suspended
   * @param keep of those who wait longer, the first of the queue; as many are woken for a node
   *     beyond its free slots
   * @param sentAwayAtOnce each second
   */
  public record Waiting(int most, Duration longest, int keep, int sentAwayAtOnce) {

    public static final Waiting USUAL = new Waiting(10_000, Duration.ofSeconds(30), 16, 200);
  }

  /**
   * How the cluster hears of nodes' capacity.
   *
   * @param sweep between two looks for agents that wait without having been told of anything
   * @param grace how long an agent that was woken keeps a slot free without being seen
   * @param batch agents that are looked at and woken at once
   */
  public record Reports(
      Duration every, Duration whileWaiting, Duration sweep, Duration grace, int batch) {

    public static final Reports USUAL =
        new Reports(
            Duration.ofSeconds(1),
            Duration.ofMillis(100),
            Duration.ofSeconds(1),
            Duration.ofSeconds(20),
            256);
  }

  private static final int HEAP_PERCENT = 85;
  private static final int STRICT_EVERY = 16;
  private static final Aging AGING = new Aging(10);
  private static final int MARGIN = 20;
  private static final int MOST_YIELDING = 4;

  /** What an operator may say; reference.conf says what each setting means. */
  @Section("colony.agent.capacity")
  private record Operators(
      @Range(min = "1", max = "1000000") int agents,
      @Range(min = "1", max = "2147483647") Optional<Long> kvTokens,
      @Range(min = "1", max = "1000000") Map<String, Integer> shares,
      @Range(min = "1", max = "1000000") int otherShares,
      Lower suspendLower) {

    record Lower(
        @Range(min = "0 s", max = "1 d") Duration after,
        @Range(min = "0 s", max = "1 d") Duration leastTurn) {}
  }

  /** Reads and checks them, as {@link Settings#read} does. */
  public static CapacitySettings fromConfig(Config config) {
    Operators read = Settings.read(Operators.class, config);
    return new CapacitySettings(
        new NodeCapacity(read.agents(), HEAP_PERCENT, read.kvTokens().orElse(Long.MAX_VALUE)),
        new Shares(read.shares(), read.otherShares()),
        STRICT_EVERY,
        new Preemption(AGING, MARGIN, read.suspendLower().after(), read.suspendLower().leastTurn()),
        MOST_YIELDING,
        Waiting.USUAL,
        Reports.USUAL);
  }

  /**
   * What a node has for its agents.
   *
   * @param agents that may be at work at once, 1 or more
   * @param heapPercent of the largest possible heap that may be in use after a garbage collection
   *     while further agents begin to work, 1 to 100
   * @param kvTokens which the agents at work may expect to hold in the model server, 1 or more;
   *     {@link Long#MAX_VALUE} where that is not bounded
   */
  public record NodeCapacity(int agents, int heapPercent, long kvTokens) {

    public NodeCapacity {
      check("agents", agents, 1, Integer.MAX_VALUE);
      check("heapPercent", heapPercent, 1, 100);
      check("kvTokens", kvTokens, 1, Long.MAX_VALUE);
    }

    /** What an agent needs of the tokens; one that asks for more than there are gets all. */
    long tokens(SlotRequest request) {
      return Math.min(request.tokens(), kvTokens);
    }

    private static void check(String name, long value, long least, long most) {
      if (value < least || value > most) {
        throw new IllegalArgumentException(
            name + " is " + value + ", but must be " + least + " to " + most);
      }
    }
  }

  /**
   * How many parts each tenant has in what there is.
   *
   * @param parts of the tenants that are named, 1 or more each
   * @param other the parts of each other tenant, 1 or more
   */
  public record Shares(Map<String, Integer> parts, int other) {

    /** The same for all. */
    public static final Shares EQUAL = new Shares(Map.of(), 1);

    public Shares {
      parts = Map.copyOf(parts);
      if (other < 1 || parts.values().stream().anyMatch(part -> part < 1)) {
        throw new IllegalArgumentException(
            "a tenant has 1 part or more, not: " + parts + ", " + other);
      }
    }

    public int of(String tenant) {
      return parts.getOrDefault(tenant, other);
    }
  }
}
