package dev.colony.bench;

import com.typesafe.config.ConfigFactory;
import dev.colony.bench.AgentTrace.Turn;
import dev.colony.inference.replicas.RoutingSettings;
import dev.colony.vcm.schedule.Ask;
import dev.colony.vcm.schedule.ClusterSnapshot.Access;
import dev.colony.vcm.schedule.ClusterState;
import dev.colony.vcm.schedule.EvictionControl;
import dev.colony.vcm.schedule.Orders;
import dev.colony.vcm.schedule.WorkingSetScheduler;
import dev.colony.vcm.schedule.WorkingSetSettings;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.function.DoubleSupplier;

/**
 * Turns that go where the agent is resident, as those of a node's agents: the scheduler holds whole
 * agents back whose prompts fit into no cache beside those of others.
 */
final class LeasedWay implements Play.Way {

  /** Between two tries of those that wait. */
  private static final long TRY_MILLIS = 20;

  /** A call to a replica. */
  @FunctionalInterface
  interface Call {
    void ask(Play.Asked turn, String replica, Runnable first)
        throws InterruptedException, ExecutionException;
  }

  private final Map<String, Long> cacheTokens;
  private final DoubleSupplier blockTokens;
  private final Call call;
  private final Map<Long, String> placed = new HashMap<>();
  private WorkingSetScheduler agents;
  private int block;
  private long requests;

  /**
   * @param cacheTokens that each replica's cache holds
   * @param blockTokens of a block of the trace, as it was measured
   */
  LeasedWay(Map<String, Long> cacheTokens, DoubleSupplier blockTokens, Call call) {
    this.cacheTokens = cacheTokens;
    this.blockTokens = blockTokens;
    this.call = call;
  }

  @Override
  public synchronized void begins() {
    block = (int) Math.max(1, Math.round(blockTokens.getAsDouble()));
    ClusterState state =
        new ClusterState(RoutingSettings.fromConfig(ConfigFactory.load()).schedule(block));
    cacheTokens.forEach((replica, tokens) -> {
      state.join(replica);
      state.cacheHolds(replica, (int) (tokens / block));
    });
    agents =
        new WorkingSetScheduler(
            WorkingSetSettings.DEFAULT,
            state,
            id -> Access.OPEN,
            id -> EvictionControl.NONE,
            block);
    placed.clear();
  }

  @Override
  public void ask(Play.Asked asked, Runnable first)
      throws IOException, InterruptedException, ExecutionException {
    Turn turn = asked.trace().turns().get(asked.at());
    OptionalInt next = asked.trace().next(asked.at());
    long[] chain = turn.blocks().stream().mapToLong(Long::longValue).toArray();
    long request;
    String replica;
    synchronized (this) {
      request = requests++;
      carry(
          agents.arrived(
              request,
              turn.session() + "/" + turn.agent(),
              Ask.even(chain, block, (long) chain.length * block).of(turn.session()),
              next.isEmpty(),
              now()));
      while (!placed.containsKey(request)) {
        wait(TRY_MILLIS);
        carry(agents.tried(now()));
      }
      replica = placed.remove(request);
    }
    boolean answered = false;
    try {
      call.ask(
          asked,
          replica,
          () -> {
            synchronized (this) {
              agents.firstToken(request, now());
            }
            first.run();
          });
      answered = true;
    } finally {
      synchronized (this) {
        carry(agents.ended(request, pause(asked, next), OptionalInt.empty(), answered, now()));
        carry(agents.tried(now()));
      }
    }
  }

  /**
   * What an agent declares: how long what it does next takes; nothing where it waits for another.
   */
  private static OptionalDouble pause(Play.Asked asked, OptionalInt next) {
    if (next.isEmpty()) {
      return OptionalDouble.empty();
    }
    Turn then = asked.trace().turns().get(next.getAsInt());
    return then.after().stream().allMatch(before -> before == asked.at())
        ? OptionalDouble.of(then.pauseMillis() / 1e3)
        : OptionalDouble.empty();
  }

  private void carry(Orders orders) {
    orders.started().forEach(one -> placed.put(one.request(), one.run().replica()));
    notifyAll();
  }

  private static double now() {
    return System.nanoTime() / 1e9;
  }
}
