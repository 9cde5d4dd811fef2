package dev.colony.core.capacity;

import dev.colony.core.capacity.CapacitySettings.NodeCapacity;
import dev.colony.core.capacity.CapacitySettings.Shares;
import dev.colony.core.capacity.CapacityUse.ResourceExhausted.Resource;
import dev.colony.core.capacity.SlotScheduler.SlotRequest;
import dev.colony.core.capacity.SlotScheduler.SlotRequest.AdmittedAgent;
import dev.colony.vcm.table.NodeAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What is taken of a node's capacity, and by which tenants. Not thread-safe.
 *
 * <p>A node where no agent is at work has capacity for any, whatever its heap and the model server
 * hold: else nothing that an agent does could ever free capacity again.
 */
public final class CapacityUse {

  private static final int ALL = 100;

  private final NodeCapacity capacity;
  private final Shares shares;
  private final Map<String, Use> tenants = new HashMap<>();
  private Use all = Use.NONE;
  private int heapPercent;

  private record Use(int agents, long tokens) {

    private static final Use NONE = new Use(0, 0);

    private Use plus(int moreAgents, long moreTokens) {
      return new Use(agents + moreAgents, tokens + moreTokens);
    }
  }

  public CapacityUse(NodeCapacity capacity, Shares shares) {
    this.capacity = capacity;
    this.shares = shares;
  }

  /** What is short for a request; empty if there is capacity for it. */
  public Optional<ResourceExhausted> missing(SlotRequest request) {
    Optional<ResourceExhausted> forAny = missingForAny();
    if (all.agents == 0 || forAny.isPresent()) {
      return forAny;
    }
    long tokens = capacity.tokens(request);
    long left = capacity.kvTokens() - all.tokens;
    return tokens > left ? exhausted(Resource.KV_TOKENS, tokens, left) : Optional.empty();
  }

  /** Whether there is capacity for no request, whatever it asks for. Costs nothing. */
  public boolean full() {
    return missingForAny().isPresent();
  }

  private Optional<ResourceExhausted> missingForAny() {
    if (all.agents == 0) {
      return Optional.empty();
    }
    if (all.agents >= capacity.agents()) {
      return exhausted(Resource.AGENTS, 1, capacity.agents() - (long) all.agents);
    }
    return heapPercent >= capacity.heapPercent()
        ? exhausted(Resource.HEAP, 1, capacity.heapPercent() - (long) heapPercent)
        : Optional.empty();
  }

  private static Optional<ResourceExhausted> exhausted(Resource what, long asked, long left) {
    return Optional.of(new ResourceExhausted(what, asked, Math.max(0, left)));
  }

  public void take(SlotRequest request) {
    change(request, 1);
  }

  /** Gives back what {@link #take} took. */
  public void giveBack(SlotRequest request) {
    change(request, -1);
  }

  private void change(SlotRequest request, int sign) {
    long tokens = sign * capacity.tokens(request);
    all = all.plus(sign, tokens);
    tenants.compute(
        request.tenant(),
        (name, before) -> {
          Use after = (before == null ? Use.NONE : before).plus(sign, tokens);
          return after.agents == 0 ? null : after;
        });
  }

  /** How much of the heap is in use after a garbage collection, 0 to 100. */
  public void heap(int percent) {
    heapPercent = Math.clamp(percent, 0, ALL);
  }

  /** What a tenant uses of the resource that it uses most of, in parts of its share. */
  public double use(String tenant) {
    Use use = tenants.getOrDefault(tenant, Use.NONE);
    return Math.max(
            (double) use.agents / capacity.agents(), (double) use.tokens / capacity.kvTokens())
        / shares.of(tenant);
  }

  public int taken() {
    return all.agents;
  }

  /** Agents for which there is capacity, as far as can be told without knowing what they need. */
  public int free() {
    if (all.agents == 0) {
      return capacity.agents();
    }
    boolean tight = heapPercent >= capacity.heapPercent() || all.tokens >= capacity.kvTokens();
    return tight ? 0 : Math.max(0, capacity.agents() - all.agents);
  }

  /** Tokens that are left of the model server's cache, 0 or more. */
  public long freeTokens() {
    return Math.max(0, capacity.kvTokens() - all.tokens);
  }

  public Map<String, Integer> atWork() {
    Map<String, Integer> agents = new HashMap<>();
    tenants.forEach((tenant, use) -> agents.put(tenant, use.agents));
    return Map.copyOf(agents);
  }

  /**
   * What a node said of its capacity last.
   *
   * @param life grows with each start of the node
   * @param free agents for which there is capacity, 0 or more
   * @param freeTokens of its model server's cache, 0 or more
   * @param capacity agents that may be at work at once
   * @param visitors agents that came there from a durable wait and wait on in memory
   * @param arrived agents that came there from a durable wait in this life of the node
   * @param atWork agents at work of each tenant; of the tenants with the most, if they are many
   * @param lowest the agent at work there that would give way first; empty if none may
   */
  public record CapacityReport(
      NodeAddress node,
      long life,
      int free,
      long freeTokens,
      int capacity,
      int visitors,
      long arrived,
      Map<String, Integer> atWork,
      Optional<AdmittedAgent> lowest) {

    public CapacityReport {
      Objects.requireNonNull(node, "node");
      atWork = atWork == null ? Map.of() : Map.copyOf(atWork);
      lowest = lowest == null ? Optional.empty() : lowest;
    }

    /**
     * Whether a request fits; one for which no node is large enough fits where no agent is at work.
     */
    boolean fits(SlotRequest request) {
      return free > 0 && (free == capacity || request.tokens() <= freeTokens);
    }

    /** The same with less capacity, and none that gives way if there are some in flight already. */
    CapacityReport without(int agents, long tokens) {
      return new CapacityReport(
          node,
          life,
          Math.max(0, free - agents),
          Math.max(0, freeTokens - tokens),
          capacity,
          visitors,
          arrived,
          atWork,
          agents > free ? Optional.empty() : lowest);
    }
  }

  /**
   * That a node has too little of something for an agent.
   *
   * @param asked how much the agent needs, in the resource's unit
   * @param left how much there was; 0 or more
   */
  public record ResourceExhausted(Resource resource, long asked, long left) {

    public ResourceExhausted {
      Objects.requireNonNull(resource, "resource");
      if (left < 0) {
        throw new IllegalArgumentException("left is " + left + ", but must be 0 or more");
      }
    }

    /** One line for people. */
    public String reason() {
      return "asked for %d %s, and %d are left".formatted(asked, resource.unit(), left);
    }

    public enum Resource {
      AGENTS("agents at work"),
      /** Memory that is in use after a garbage collection, in percent of what there may be. */
      HEAP("percent of the heap"),
      /** What the agents at work are expected to hold in the caches of the node's model server. */
      KV_TOKENS("tokens of the model server's cache");

      private final String unit;

      Resource(String unit) {
        this.unit = unit;
      }

      /** For people: what an amount of it counts. */
      public String unit() {
        return unit;
      }
    }
  }
}
