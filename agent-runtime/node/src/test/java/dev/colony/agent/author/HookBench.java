package dev.colony.agent.author;

import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.fixture.TestAgent;
import dev.colony.core.capability.HookedAgent;
import dev.colony.core.capability.Weaver;
import java.util.Locale;
import java.util.concurrent.Callable;

/**
 * Prints what a call through hooks costs beside a plain one, in nanoseconds per call, the best of
 * some rounds: {@code java dev.colony.agent.author.HookBench}.
 */
final class HookBench {

  private static final int CALLS = 2_000_000;
  private static final int ROUNDS = 8;
  private static final JoinPoint ADD = new JoinPoint("Counter.add", long.class);

  /** What is called. */
  static class Counter extends AgentCapability {
    private long sum;

    Counter(CapabilityContext context) {
      super(context);
    }

    long plain(long more) {
      return sum += more;
    }

    @Hookable
    long add(long more) {
      return sum += more;
    }
  }

  private HookBench() {}

  public static void main(String[] args) throws Exception {
    HookRegistry hooks = HookedAgent.registry();
    TestAgent agent = HookedAgent.with(hooks);
    Counter counter =
        (Counter)
            Weaver.construct(
                Counter.class.getDeclaredConstructors()[0], agent.capabilityContext("counter"));
    measure("plain call", i -> counter.plain(i));
    both("no hook", hooks, agent, counter);
    hooks.add(AgentHook.before("elsewhere", "Other.*", call -> {}));
    both("1 hook elsewhere", hooks, agent, counter);
    hooks.remove("elsewhere");
    hooks.add(AgentHook.before("b1", "Counter.add", call -> {}));
    both("1 BEFORE", hooks, agent, counter);
    hooks.remove("b1");
    hooks.add(AgentHook.around("a1", "Counter.add", (call, proceed) -> proceed.proceed()));
    both("1 AROUND", hooks, agent, counter);
    for (int i = 2; i <= 3; i++) {
      hooks.add(AgentHook.before("b" + i, "Counter.*", call -> {}));
      hooks.add(AgentHook.after("c" + i, "Counter.*", (call, result, failure) -> {}));
    }
    both("5 hooks (2 BEFORE, 2 AFTER, 1 AROUND)", hooks, agent, counter);
  }

  private interface Call {
    long of(long i) throws Exception;
  }

  private static void both(String what, HookRegistry hooks, TestAgent agent, Counter counter)
      throws Exception {
    measure(what + ", woven", i -> counter.add(i));
    measure(
        what + ", call",
        i -> {
          Callable<Long> method = () -> counter.plain(i);
          return hooks.call(ADD, agent, counter, method, i);
        });
  }

  private static void measure(String what, Call call) throws Exception {
    double best = Double.MAX_VALUE;
    long sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
      long start = System.nanoTime();
      for (int i = 0; i < CALLS; i++) {
        sum += call.of(i);
      }
      best = Math.min(best, (System.nanoTime() - start) / (double) CALLS);
    }
    System.out.printf(Locale.ROOT, "%-46s %8.1f ns  (%d)%n", what, best, sum & 1);
  }
}
