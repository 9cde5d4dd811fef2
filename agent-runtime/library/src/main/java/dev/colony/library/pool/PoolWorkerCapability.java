package dev.colony.library.pool;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentRun;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.ErrorContext;
import dev.colony.agent.EventBatch;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.ActionPolicyIO.ActionPolicyOutput;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.AgentHook.HookCode.Proceed;
import dev.colony.agent.author.AgentHook.HookContext;
import dev.colony.agent.author.Background;
import dev.colony.agent.author.EventHandler;
import dev.colony.agent.author.Hook;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Param.Range;
import dev.colony.agent.author.Registered;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.Scope;
import dev.colony.library.pool.PoolBoard.Held;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes an agent, whatever its policy is, a worker of a pool: while it is free it claims an item
 * and does it as a run of its own, whose input is the item's. The policy knows nothing of the pool.
 * What the run comes to is the item's result.
 *
 * <p>Behind the run for an item stands a second run, which the policy never sees: it gives the
 * item's result to the pool and claims the next item. Both are asked for in one operation, so that
 * whichever way the item's run ends (by its policy, by a bound, by a caller) the item is settled,
 * whatever dies in between. An idle worker is woken when items come; it does not poll.
 *
 * <p>An item is tried more than once where a run fails or a worker does not come back, each time as
 * another run. Who acts on the world gives {@link #itemId} to whom it calls, as the key that is the
 * same for all attempts.
 */
@Registered(
    value = "agent.pool-worker",
    summary = "Claims items of work from a pool while the agent is free.")
public final class PoolWorkerCapability extends AgentCapability {

  /** Behind the id of an item's run: the run that settles the item. */
  private static final String SETTLES = "~settles";

  /** After which it is tried again when the blackboard fails. */
  private static final Duration RETRY = Duration.ofSeconds(5);

  private static final Logger LOG = LoggerFactory.getLogger(PoolWorkerCapability.class);

  private final PoolBoard pool;
  private final int atOnce;

  /** Whether a run for an item may be under way: then leases are renewed. */
  private volatile boolean working = true;

  /**
   * How many items it takes.
   *
   * @param atOnce items that it has at a time, of which it works on one, 1 to 16; 1 if empty. More
   *     of them save the way to the pool where items are small; the time of their runs counts from
   *     when they are claimed
   */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  public record Share(
      @Param("items that it has at a time, 1 to 16") @Range(min = 1, max = 16)
          Optional<Integer> atOnce) {

    public static final Share ONE = new Share(Optional.empty());
  }

  public PoolWorkerCapability(CapabilityContext context, Share share) {
    super(context);
    checkScope(context.scope());
    this.pool = new PoolBoard(context.owner(), context.blackboard());
    this.atOnce = share.atOnce().orElse(1);
  }

  /** A worker of the pool that stands in this scope, see {@link PoolPolicy#pool}. */
  public static CapabilityBlueprint of(Scope pool, Share share) {
    return CapabilityBlueprint.of(PoolWorkerCapability.class, share).scope(pool);
  }

  static void checkScope(Scope scope) {
    if (scope.namespace().isEmpty()) {
      throw AgentException.refused(
          "a pool stands in a namespace of a scope, not in the whole of " + scope.path());
    }
  }

  /**
   * The id that its caller has given the item that a run is for, the same in each attempt; empty
   * for a run that is for none.
   */
  public Optional<String> itemId(RunRequest run) {
    return run.namespace().equals(pool.namespace()) && !run.runId().value().endsWith(SETTLES)
        ? Optional.of(PoolItem.idOf(run.runId()))
        : Optional.empty();
  }

  /** Wakes the agent; what is to be done then stands around its iteration. */
  @EventHandler(pattern = PoolBoard.BELL)
  void onBell(EventBatch.Event bell) {}

  /** Does what is the pool's, and lets the policy do the items and all else. */
  @Hook(around = "ActionPolicy.executeIteration", priority = 1_000, timeout = "5m")
  Object iteration(HookContext call, Proceed policy) throws Exception {
    ActionPolicyExecutionState state = (ActionPolicyExecutionState) call.arguments().getFirst();
    RunRequest run = state.request();
    boolean settles =
        run.namespace().equals(pool.namespace()) && run.runId().value().endsWith(SETTLES);
    if (settles || woken(run)) {
      try {
        serve();
        return ActionPolicyIterationResult.completed(
            ActionPolicyOutput.of(JsonNodeFactory.instance.nullNode()));
      } catch (BlackboardException failure) {
        if (!failure.retryable()) {
          throw failure;
        }
        return ActionPolicyIterationResult.blocked(
            failure.getMessage(), new ResumptionCondition.At(pool.now().plus(RETRY)));
      }
    }
    if (itemId(run).isPresent() && lost(run)) {
      return ActionPolicyIterationResult.failed(
          ErrorContext.of(
              "pool",
              "the lease of item %s is over: it is no longer this agent's"
                  .formatted(itemId(run).get())));
    }
    if (state.events().stream().anyMatch(this::bells)) {
      try {
        serve();
      } catch (BlackboardException failure) {
        // It rings again while something waits, and the run is not for the pool.
        LOG.debug("{} claims nothing for now", agent().id(), failure);
      }
    }
    return policy.proceed();
  }

  private boolean woken(RunRequest run) {
    return EventBatch.of(run).filter(this::bells).isPresent();
  }

  private boolean bells(EventBatch batch) {
    return batch.scope().equals(scope())
        && batch.events().stream().allMatch(event -> event.key().equals(PoolBoard.BELL));
  }

  /** Settles the items that are done, and claims others while the agent may have more. */
  private void serve() {
    String self = agent().id().name();
    int has = 0;
    for (Held held : pool.held(self)) {
      Optional<AgentRun> ended = pool.ended(held.item());
      if (ended.isPresent()) {
        end(held, ended.get());
      } else {
        has += begin(held) ? 1 : 0;
      }
    }
    Optional<Held> more = has < atOnce ? pool.claim(self) : Optional.empty();
    while (more.isPresent()) {
      has += begin(more.get()) ? 1 : 0;
      more = has < atOnce ? pool.claim(self) : Optional.empty();
    }
    working = has > 0;
  }

  /** Asks for the two runs of an item; for those that were asked for before it is nothing. */
  private boolean begin(Held held) {
    Optional<RunRequest> asked = pool.request(held.item());
    if (asked.isEmpty()) {
      end(
          held,
          AgentRun.failed(held.item().run(), "its request is no longer there", RunStats.NONE));
      return false;
    }
    RunId id = held.item().run();
    ExecutionContext caller = asked.get().context();
    ExecutionContext context =
        caller.covers(agent().id().scope())
            ? caller.sets(id)
            : ExecutionContext.of(agent().id(), id);
    pool.ask(
        List.of(
            new RunRequest(
                context,
                pool.namespace(),
                asked.get().input(),
                asked.get().requestedBy(),
                pool.now()),
            pool.run(new RunId(id.value() + SETTLES), JsonNodeFactory.instance.nullNode())));
    return true;
  }

  private void end(Held held, AgentRun run) {
    String self = agent().id().name();
    pool.change(held.key(), item -> item.end(self, held.item().epoch(), run, pool.now()));
  }

  /**
   * Whether the claim is over that a run is for; renews it if it is not. Where that cannot be told
   * the run goes on: what it comes to counts only if the claim holds then.
   */
  private boolean lost(RunRequest run) {
    working = true;
    try {
      Optional<Held> held =
          pool.held(agent().id().name()).stream()
              .filter(one -> one.item().run().equals(run.runId()))
              .findFirst();
      held.ifPresent(one -> renew(one, pool.now()));
      return held.isEmpty();
    } catch (BlackboardException failure) {
      if (!failure.retryable()) {
        throw failure;
      }
      return false;
    }
  }

  /** Iterations may be longer than a lease. */
  @Background(
      name = "leases",
      effect = "Keeps the items of work that the agent has claimed its own.",
      every = "2s")
  void renew() {
    if (working) {
      Instant now = pool.now();
      pool.held(agent().id().name()).forEach(held -> renew(held, now));
    }
  }

  private void renew(Held held, Instant now) {
    if (held.item().due(now)) {
      pool.change(held.key(), item -> item.renew(agent().id().name(), held.item().epoch(), now));
    }
  }
}
