package dev.colony.library.pool;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.ErrorContext;
import dev.colony.agent.EventBatch;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.EventHandler;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.blackboard.Await;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.EntryPage;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.EventType;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.protocol.WorkAssignmentProtocol;
import dev.colony.library.policy.EventDrivenActionPolicy;
import dev.colony.library.pool.PoolBoard.Asked;
import dev.colony.library.pool.PoolBoard.Entered;
import dev.colony.library.pool.PoolBoard.Held;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The agent that a pool is: callers give it units of work by {@link WorkAssignmentProtocol}, and it
 * gives them to no worker by name. It enters each request as an item that workers claim by
 * themselves ({@link PoolWorkerCapability}), refuses what the queue has no room for, and has an
 * item whose lease is over go to another worker. It is woken by requests, and while there are items
 * also when it is time to look at the leases; meanwhile it is suspended.
 *
 * <p><b>Who goes on when a node dies.</b> The worker itself: it is an agent, its run for the item
 * goes on from the last durable step on another node, no reply of a model is paid twice, and its
 * actions keep their idempotency keys. The lease is for a worker that does not come back: stopped,
 * suspended, or without a node that may run it. Only then the item is another worker's, under the
 * next epoch, and what the earlier worker still says of it counts for nothing.
 */
@Registered(value = "agent.pool", summary = "A queue of work that other agents claim from.")
public final class PoolPolicy extends EventDrivenActionPolicy {

  /** Requests that are read and entered at once. */
  private static final int BATCH = 100;

  /** How often leases are looked at, if they are not shorter. */
  private static final Duration WATCH = Duration.ofSeconds(30);

  /** After which it is tried again when the blackboard fails. */
  private static final Duration RETRY = Duration.ofSeconds(5);

  /** Among the agent's entries: up to where requests have been read. */
  private static final String READ = "read";

  private static final String UNTIL = "until";

  private final Terms terms;

  /** Items in the queue, not less than there are; negative where that is not known. */
  private int queued = -1;

  /**
   * On which terms work is taken.
   *
   * @param attempts how often an item is tried, 1 to 20; 3 if empty
   * @param lease how long a worker has an item without renewing, 5 s to 7 d; 2 minutes if empty. A
   *     worker renews while it works, so it need only outlast a failover, and whatever an item may
   *     wait for: a person's approval, say
   * @param queue items that wait at most, 1 to 100,000; 10,000 if empty
   */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  public record Terms(
      Optional<Integer> attempts,
      @Param("as in PT2M") Optional<Duration> lease,
      Optional<Integer> queue) {

    public static final Terms USUAL =
        new Terms(Optional.empty(), Optional.empty(), Optional.empty());

    public Terms {
      check("attempts", attempts, 20);
      check("queue", queue, 100_000);
      lease
          .filter(one ->
              one.compareTo(Duration.ofSeconds(5)) < 0 || one.compareTo(Duration.ofDays(7)) > 0)
          .ifPresent(one -> {
            throw new IllegalArgumentException("lease must be PT5S to P7D, but is " + one);
          });
    }

    private static void check(String name, Optional<Integer> value, int most) {
      value
          .filter(one -> one < 1 || one > most)
          .ifPresent(one -> {
            throw new IllegalArgumentException(
                "%s must be 1 to %d, but is %d".formatted(name, most, one));
          });
    }

    public Terms attempts(int number) {
      return new Terms(Optional.of(number), lease, queue);
    }

    public Terms lease(Duration time) {
      return new Terms(attempts, Optional.of(time), queue);
    }

    public Terms queue(int most) {
      return new Terms(attempts, lease, Optional.of(most));
    }
  }

  public PoolPolicy(PolicyContext context, Terms terms) {
    super(context);
    this.terms = terms;
  }

  /**
   * An agent that is a pool and nothing else.
   *
   * @param scope where requests, items and results stand: a namespace that no other pool has, of a
   *     scope that callers and workers share
   */
  public static AgentBlueprint pool(Scope scope, Terms terms) {
    return AgentBlueprint.of(PoolPolicy.class, terms)
        .capability(
            CapabilityBlueprint.of(Blueprint.bind(PoolRequests.class)).scope(scope).key("pool"));
  }

  @Override
  protected Decision planStep(ActionPolicyExecutionState state) {
    PoolBoard pool =
        agent()
            .capability(PoolRequests.class)
            .map(requests -> new PoolBoard(agent(), requests.blackboard()))
            .orElseThrow(() ->
                AgentException.refused("a pool needs the capability pool.requests in its scope"));
    RunRequest run = state.request();
    Optional<Instant> until =
        Optional.of(run.input().path(UNTIL).asText())
            .filter(text -> run.namespace().equals(pool.namespace()) && !text.isEmpty())
            .map(Instant::parse);
    if (until.isEmpty() && EventBatch.of(run).isEmpty()) {
      return new Decision.Fail(
          ErrorContext.of(
              "input",
              "a pool is given work on the scope %s, by WorkAssignmentProtocol"
                  .formatted(pool.board().scope().path())));
    }
    Instant now = pool.now();
    try {
      int entered = admit(pool, state);
      if (until.filter(now::isBefore).isPresent()) {
        if (entered > 0) {
          pool.ring();
        }
        return Decision.blocked("looks at leases then", new ResumptionCondition.At(until.get()));
      }
      watch(pool, now);
      return Decision.Complete.with(JsonNodeFactory.instance.numberNode(entered));
    } catch (BlackboardException failure) {
      if (!failure.retryable()) {
        throw failure;
      }
      return Decision.blocked(failure.getMessage(), new ResumptionCondition.At(now.plus(RETRY)));
    }
  }

  /** Reads the requests that have come since, or all of them where some are no longer stored. */
  private int admit(PoolBoard pool, ActionPolicyExecutionState state) {
    String requests = PoolBoard.PROTOCOL.requestPattern(agent().id().name()).pattern();
    int entered = 0;
    if (state.events().stream().anyMatch(EventBatch::missed)) {
      Query query = Query.keys(requests).limit(BATCH);
      Optional<Query> next = Optional.of(query);
      while (next.isPresent()) {
        EntryPage page = Await.result(pool.board().query(next.get()));
        entered +=
            admit(
                pool,
                page.entries().stream()
                    .map(one -> new Asked(one.key(), one.position(), one.value()))
                    .toList());
        next = page.next().map(query::from);
      }
    }
    EventFilter written = EventFilter.keys(requests).and(EventFilter.types(EventType.WRITTEN));
    Position from = Position.parse(state.policy().path(READ).asText("0-0"));
    List<BlackboardEvent> found;
    do {
      found = Await.result(pool.board().history(written, from, BATCH));
      List<Asked> asked = new ArrayList<>();
      for (BlackboardEvent event : found) {
        from = event.position();
        if (event instanceof BlackboardEvent.Written one) {
          asked.add(new Asked(one.key(), one.position(), one.value()));
        }
      }
      entered += admit(pool, asked);
      state.policy().put(READ, from.toString());
    } while (found.size() == BATCH);
    return entered;
  }

  private int admit(PoolBoard pool, List<Asked> asked) {
    int most = terms.queue().orElse(10_000);
    if (queued < 0 || queued + asked.size() > most) {
      queued = pool.items(PoolItem.State.QUEUED).size();
    }
    List<Asked> fit = new ArrayList<>();
    for (Asked one : asked) {
      Optional<String> unfit = pool.unfit(one);
      unfit.ifPresent(why -> pool.refuse(one, why));
      if (unfit.isEmpty()) {
        fit.add(one);
      }
    }
    Entered entered =
        pool.enter(
            fit,
            Math.max(0, most - queued),
            terms.attempts().orElse(3),
            terms.lease().orElse(Duration.ofMinutes(2)));
    queued += entered.count();
    for (Asked one : entered.full()) {
      pool.refuse(
          one, "the pool is full: %d items wait in it; ask again in a minute".formatted(most));
    }
    return entered.count();
  }

  /** Has lapsed items go on, wakes workers where something waits, and sees to the next watch. */
  private void watch(PoolBoard pool, Instant now) {
    for (Held held : pool.items(PoolItem.State.CLAIMED)) {
      if (held.item().lapse(now).isPresent()) {
        // A worker that ended the run and then did not come back has done the item.
        Optional<AgentRun> ended = pool.ended(held.item());
        pool.change(
            held.key(),
            item ->
                ended
                    .filter(run -> run.runId().equals(item.run()))
                    .flatMap(run -> item.end(item.worker().orElse(""), item.epoch(), run, now))
                    .or(() -> item.lapse(now)));
      }
    }
    for (Held held : pool.items(PoolItem.State.RESTING)) {
      if (held.item().lapse(now).isPresent()) {
        pool.change(held.key(), item -> item.lapse(now));
      }
    }
    boolean waits = pool.any(PoolItem.State.QUEUED);
    if (waits) {
      pool.ring();
    }
    if (waits || pool.any(PoolItem.State.CLAIMED) || pool.any(PoolItem.State.RESTING)) {
      Duration lease = terms.lease().orElse(WATCH);
      long period = Math.min(lease.toMillis(), WATCH.toMillis());
      Instant next = Instant.ofEpochMilli((now.toEpochMilli() / period + 1) * period);
      // The same for all that ask within a period, so that there is one watch at a time.
      RunId id = new RunId("watch-" + next.toEpochMilli());
      pool.ask(
          List.of(pool.run(id, JsonNodeFactory.instance.objectNode().put(UNTIL, next.toString()))));
    }
  }

  /** Where the requests of a pool come in; stands in the pool's scope. */
  @Registered(value = "pool.requests", summary = "Takes the requests of a pool.")
  static final class PoolRequests extends AgentCapability {

    PoolRequests(CapabilityContext context) {
      super(context);
      PoolWorkerCapability.checkScope(context.scope());
    }

    /** Wakes the pool, which reads what has come. */
    @EventHandler(protocol = WorkAssignmentProtocol.class)
    void onRequest(EventBatch.Event event) {}
  }

  public static final class PoolTypes implements TypeProvider {

    @Override
    public void register(Types types) {
      types.add(PoolPolicy.class);
      types.add(PoolRequests.class);
      types.add(PoolWorkerCapability.class);
    }
  }
}
