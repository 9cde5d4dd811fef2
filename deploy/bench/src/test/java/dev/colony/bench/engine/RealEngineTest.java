package dev.colony.bench.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.vcm.schedule.Ask;
import dev.colony.vcm.schedule.ClusterSnapshot.Access;
import dev.colony.vcm.schedule.ClusterState;
import dev.colony.vcm.schedule.EvictionControl;
import dev.colony.vcm.schedule.Orders;
import dev.colony.vcm.schedule.PrefillSpeed;
import dev.colony.vcm.schedule.ScheduleSettings;
import dev.colony.vcm.schedule.WorkingSetScheduler;
import dev.colony.vcm.schedule.WorkingSetSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * More agents than a real engine has room for: llama.cpp, three processes of four slots, each of
 * which keeps the prompt that it was used for last. Agents that are held back by their working sets
 * find their prompts cached; those whose requests go to the engines in turn find them gone.
 *
 * <p>A slot is taken whole, however long a prompt is: to the scheduler an agent's working set is as
 * many blocks as a slot has.
 */
@Tag("faults")
class RealEngineTest {

  private static final int ENGINES = 3;
  private static final int SLOTS = 4;
  private static final int AGENTS = 18;
  private static final int TURNS = 8;
  private static final int SLOT_TOKENS = 4_096;
  private static final int BLOCK_TOKENS = 512;
  private static final int SLOT_BLOCKS = SLOT_TOKENS / BLOCK_TOKENS;
  private static final int REPLY_TOKENS = 8;
  private static final int THINKING_MILLIS = 150;
  private static final long SEED = 20_261_125;

  @TempDir private Path directory;

  /** Has a prompt completed by one of the engines. */
  private interface Policy {

    /** Blocks until the reply is there. */
    String turn(int agent, String prompt, boolean last) throws Exception;
  }

  /**
   * @param warm the share of the turns after an agent's first that found most of their prompt
   *     cached
   */
  private record Figures(double warm, double cachedTokens, double seconds) {}

  @Test
  void agentsThatAreHeldBackFindTheirPromptsCached() throws Exception {
    System.out.println("seed " + SEED);
    Path model = directory.resolve("tiny.gguf");
    new TinyModel(2, 128, SLOT_TOKENS).write(model, SEED);
    Figures inTurn = measure(model, RealEngineTest::roundRobin);
    System.out.println("round robin: " + inTurn);
    Figures held = measure(model, HeldBack::new);
    System.out.println("held back by working sets: " + held);
    assertThat(inTurn.warm()).isLessThanOrEqualTo(0.3);
    assertThat(held.warm()).isGreaterThanOrEqualTo(0.8);
  }

  private static Figures measure(Path model, Function<List<LlamaProcess>, Policy> policies)
      throws Exception {
    List<LlamaProcess> engines = new ArrayList<>();
    try {
      for (int i = 0; i < ENGINES; i++) {
        engines.add(LlamaProcess.start(model, SLOTS, SLOT_TOKENS));
      }
      Policy policy = policies.apply(engines);
      long began = System.nanoTime();
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        List<Future<?>> agents = new ArrayList<>();
        for (int agent = 0; agent < AGENTS; agent++) {
          int number = agent;
          agents.add(
              threads.submit(() -> {
                live(number, policy);
                return null;
              }));
        }
        for (Future<?> agent : agents) {
          agent.get(10, TimeUnit.MINUTES);
        }
      }
      double seconds = (System.nanoTime() - began) / 1e9;
      // A touch asks for a prompt that is cached: it is no turn.
      List<LlamaProcess.Prompt> prompts =
          engines.stream().flatMap(engine -> engine.prompts().stream()).toList();
      long cold = prompts.stream().filter(one -> 2 * one.cached() < one.tokens()).count();
      long all = prompts.stream().mapToLong(LlamaProcess.Prompt::tokens).sum();
      long cached = prompts.stream().mapToLong(LlamaProcess.Prompt::cached).sum();
      assertThat(prompts).hasSizeGreaterThanOrEqualTo(AGENTS * TURNS);
      double warm = 1 - (double) (cold - AGENTS) / (AGENTS * (TURNS - 1));
      return new Figures(warm, (double) cached / all, seconds);
    } finally {
      for (LlamaProcess engine : engines) {
        engine.close();
      }
    }
  }

  /** An agent: each of its prompts goes on from the one before. */
  private static void live(int number, Policy policy) throws Exception {
    Random random = new Random(SEED + number);
    StringBuilder prompt = new StringBuilder();
    text(prompt, random, 900 + random.nextInt(600));
    for (int turn = 1; turn <= TURNS; turn++) {
      prompt.append(policy.turn(number, prompt.toString(), turn == TURNS));
      text(prompt, random, 60);
      // The time that an agent takes for its action.
      TimeUnit.MILLISECONDS.sleep(random.nextInt(2 * THINKING_MILLIS));
    }
  }

  private static void text(StringBuilder text, Random random, int characters) {
    for (int i = 0; i < characters; i++) {
      text.append((char) ('a' + random.nextInt(26)));
    }
  }

  private static Policy roundRobin(List<LlamaProcess> engines) {
    AtomicInteger next = new AtomicInteger();
    return (agent, prompt, last) ->
        engines.get(next.getAndIncrement() % ENGINES).complete(prompt, REPLY_TOKENS);
  }

  /** The scheduler, told of what happens as a cluster would tell it. */
  private static final class HeldBack implements Policy {

    private final List<LlamaProcess> engines;
    private final ClusterState cluster =
        new ClusterState(
            new ScheduleSettings(
                new PrefillSpeed(1_000, 100_000), 64, 10, 10, SLOTS * SLOT_BLOCKS, 1_000));
    private final WorkingSetScheduler scheduler =
        new WorkingSetScheduler(
            WorkingSetSettings.DEFAULT,
            cluster,
            id -> Access.OPEN,
            id -> EvictionControl.TOUCHES,
            BLOCK_TOKENS);
    private final Map<Long, CompletableFuture<Orders.Started>> waiting = new HashMap<>();
    private final Map<Integer, String> latest = new HashMap<>();
    private long requests;

    HeldBack(List<LlamaProcess> engines) {
      this.engines = engines;
      for (int i = 0; i < ENGINES; i++) {
        cluster.join(Integer.toString(i));
        // The scheduler keeps one block free for what is written.
        cluster.cacheHolds(Integer.toString(i), SLOTS * SLOT_BLOCKS + 1);
      }
    }

    @Override
    public String turn(int agent, String prompt, boolean last) throws Exception {
      CompletableFuture<Orders.Started> goes = new CompletableFuture<>();
      long number;
      Orders orders;
      synchronized (this) {
        number = requests++;
        waiting.put(number, goes);
        latest.put(agent, prompt);
        orders = scheduler.arrived(number, "agent-" + agent, ask(agent, prompt), last, now());
        begin(orders);
      }
      touch(orders);
      Orders.Started started = goes.get();
      LlamaProcess engine = engines.get(Integer.parseInt(started.run().replica()));
      String reply = engine.complete(prompt, REPLY_TOKENS);
      synchronized (this) {
        cluster.stored(started.run().replica(), started.dispatch().ask().blocks());
        orders = scheduler.ended(number, OptionalDouble.empty(), OptionalInt.empty(), true, now());
        begin(orders);
      }
      touch(orders);
      Orders more;
      synchronized (this) {
        more = scheduler.tried(now());
        begin(more);
      }
      touch(more);
      return reply;
    }

    private void begin(Orders orders) {
      orders.started().forEach(started -> waiting.remove(started.request()).complete(started));
    }

    private void touch(Orders orders) throws Exception {
      for (Orders.Touch touch : orders.touches()) {
        String prompt;
        synchronized (this) {
          prompt = latest.get((int) (touch.blocks()[0] / SLOT_BLOCKS));
        }
        engines.get(Integer.parseInt(touch.replica())).complete(prompt, 1);
      }
    }

    private static Ask ask(int agent, String prompt) {
      long[] blocks =
          LongStream.range(0, SLOT_BLOCKS).map(i -> (long) agent * SLOT_BLOCKS + i).toArray();
      return Ask.even(blocks, BLOCK_TOKENS, prompt.length()).of("agent-" + agent);
    }

    private static double now() {
      return System.nanoTime() / 1e9;
    }
  }
}
