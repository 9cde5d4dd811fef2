package dev.colony.core.lifecycle;

import com.typesafe.config.Config;
import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.RunBudget;
import dev.colony.agent.RunStats;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.blackboard.settings.Settings;
import dev.colony.core.lifecycle.ActiveRun.Blocked;
import dev.colony.core.lifecycle.RunQueue.QueuedRun;
import dev.colony.inference.budget.BudgetSettings;
import dev.colony.inference.budget.PriceTable;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * The bounds of an agent's work.
 *
 * @param usual what a run may take whose agent's blueprint says nothing; bounds iterations and time
 * @param most what a blueprint may ask for; empty where it may ask for anything
 * @param maxQueuedRuns accepted and unfinished, the executing one included; further ones wait in
 *     the inbox
 * @param rememberedRuns how many finished runs an agent knows again by itself
 * @param maxOutputBytes of a run's output and of a step's record, about
 * @param windowBytes how much of its own actions a run keeps before it, about; the oldest go
 * @param maxRecoveries of an agent in a row, after which the run that is open ends as failed
 * @param prices of the tokens
 * @param suspension of runs that wait
 * @param step the actions of a step that has several
 */
public record RunLimits(
    RunBudget usual,
    RunBudget most,
    int maxQueuedRuns,
    int rememberedRuns,
    int maxOutputBytes,
    int windowBytes,
    int maxRecoveries,
    PriceTable prices,
    SuspensionLimits suspension,
    Step step) {

  /**
   * The actions of a step that has several.
   *
   * @param actions how many it may have
   * @param bytes what is kept of them until the step ends, about
   */
  public record Step(int actions, int bytes) {}

  /**
   * The bounds of what waits.
   *
   * @param afterWaiting how long a run waits in memory before its agent is suspended
   * @param approvals that one run is told, at most
   * @param withoutPages how long an agent that has come to have work waits for pages that went
   *     while it had none, from when they went
   */
  public record SuspensionLimits(Duration afterWaiting, int approvals, Duration withoutPages) {}

  /** No amount of money has more digits, see {@link RunBudget}. */
  private static final MathContext MONEY = new MathContext(40, RoundingMode.DOWN);

  private static final int REMEMBERED_RUNS = 64;
  private static final int WINDOW_BYTES = 4 << 20;
  private static final int APPROVALS = 64;
  private static final Step STEP = new Step(256, 4 << 20);

  /** What an operator may say; reference.conf says what each setting means. */
  @Section("colony.agent")
  private record Operators(
      Budgets run,
      @Range(min = "1", max = "10000") int maxQueuedRuns,
      @Range(min = "1", max = "10000") int maxRecoveries,
      @Range(min = "1 KiB", max = "64 MiB") int maxOutput,
      Waits suspension,
      Pages pages) {

    record Budgets(Budget usual, Budget most) {}

    record Budget(
        @Range(min = "1", max = "10000000") int iterations,
        @Range(min = "10 ms", max = "3650 d") Duration time,
        @Range(min = "1", max = "1000000000000000000") Optional<Long> tokens,
        @Range(min = "0.000000001", max = "1000000000000") Optional<BigDecimal> cost) {

      RunBudget budget() {
        return new RunBudget(Optional.of(iterations), Optional.of(time), tokens, cost);
      }
    }

    record Waits(@Range(min = "0 s", max = "365 d") Duration afterWaiting) {}

    record Pages(@Range(min = "10 ms", max = "1 d") Duration reloadAfter) {}
  }

  public RunLimits {
    Objects.requireNonNull(most, "most");
    Objects.requireNonNull(prices, "prices");
    Objects.requireNonNull(suspension, "suspension");
    Objects.requireNonNull(step, "step");
    if (usual.iterations().isEmpty() || usual.time().isEmpty()) {
      throw new IllegalArgumentException("a run needs a bound of iterations and of time");
    }
  }

  /** Reads and checks them, from {@code colony.agent}, as {@link Settings#read} does. */
  public static RunLimits fromConfig(Config config) {
    Operators read = Settings.read(Operators.class, config);
    return new RunLimits(
        read.run().usual().budget(),
        read.run().most().budget(),
        read.maxQueuedRuns(),
        REMEMBERED_RUNS,
        read.maxOutput(),
        WINDOW_BYTES,
        read.maxRecoveries(),
        BudgetSettings.prices(config),
        new SuspensionLimits(
            read.suspension().afterWaiting(), APPROVALS, read.pages().reloadAfter()),
        STEP);
  }

  /** What a run may take whose agent's blueprint has this budget. */
  public RunBudget of(RunBudget asked) {
    return new RunBudget(
        least(asked.iterations().or(usual::iterations), most.iterations()),
        least(asked.time().or(usual::time), most.time()),
        least(asked.tokens().or(usual::tokens), most.tokens()),
        least(asked.cost().or(usual::cost), most.cost()),
        asked.whenSpent());
  }

  /**
   * What the open run of an agent may take: a budget that a person has granted is worth itself once
   * more, but for its time.
   */
  public RunBudget of(AgentSnapshot state) {
    RunBudget once = of(state.budget());
    long times = state.active().map(run -> run.grants().budgets()).orElse(0) + 1L;
    return new RunBudget(
        once.iterations().map(most -> (int) Math.min(Integer.MAX_VALUE, most * times)),
        once.time(),
        once.tokens().map(most -> most > Long.MAX_VALUE / times ? Long.MAX_VALUE : most * times),
        once.cost().map(most -> most.multiply(BigDecimal.valueOf(times), MONEY)),
        once.whenSpent());
  }

  /** When the time of the open run is over. */
  public Instant overAt(AgentSnapshot state) {
    QueuedRun run = state.queue().getFirst();
    return run.acceptedAt().plus(run.paused()).plus(of(state.budget()).time().orElseThrow());
  }

  private static <T extends Comparable<T>> Optional<T> least(Optional<T> one, Optional<T> other) {
    return one.isPresent() && other.isPresent()
        ? Optional.of(one.get().compareTo(other.get()) <= 0 ? one.get() : other.get())
        : one.or(() -> other);
  }

  /** What the open run of an agent may take, and how long it may wait in memory. */
  static final class Bounds {

    private final RunLimits limits;

    Bounds(RunLimits limits) {
      this.limits = limits;
    }

    /**
     * Which bound of iterations, tokens or cost the run has reached, one line; each granted budget
     * is worth itself once more.
     */
    Optional<String> spent(AgentSnapshot state) {
      ActiveRun run = state.active().orElseThrow();
      RunBudget budget = limits.of(state);
      RunStats taken = run.spent();
      int steps = taken.steps();
      if (reached(budget.iterations().map(BigDecimal::valueOf), BigDecimal.valueOf(steps))
          .isPresent()) {
        return Optional.of("the run took " + steps + " iterations, as many as it may");
      }
      long tokens = taken.usage().promptTokens() + taken.usage().completionTokens();
      Optional<String> spent =
          reached(budget.tokens().map(BigDecimal::valueOf), BigDecimal.valueOf(tokens))
              .map(most -> "the run took " + tokens + " tokens; it may take " + most);
      return spent.or(() ->
          reached(budget.cost(), taken.cost())
              .map(most ->
                  "the run cost " + taken.cost().toPlainString() + "; it may cost " + most));
    }

    /** What may be taken, where at least so much has been. */
    private static Optional<String> reached(Optional<BigDecimal> budget, BigDecimal taken) {
      return budget.filter(most -> taken.compareTo(most) >= 0).map(BigDecimal::toPlainString);
    }

    /** That the run's time is over, one line, if it is. */
    Optional<String> over(AgentSnapshot state, Instant now) {
      return now.isBefore(overAt(state))
          ? Optional.empty()
          : Optional.of(
              "the run took longer than " + limits.of(state.budget()).time().orElseThrow());
    }

    Instant overAt(AgentSnapshot state) {
      return limits.overAt(state);
    }

    /**
     * From when on a run that waits does so with its agent suspended. A service stays; but a
     * condition of the run's own is evaluated only for agents that are suspended.
     */
    Instant suspendAt(AgentSnapshot state) {
      Blocked blocked = state.active().flatMap(ActiveRun::blocked).orElseThrow();
      if (blocked.until().isPresent()) {
        return Instant.MIN;
      }
      return state.kind() == AgentKind.SERVICE
          ? Instant.MAX
          : blocked.since().plus(limits.suspension().afterWaiting());
    }

    /** When an agent that is UNLOADED and has work loads its pages by itself. */
    Instant loadsAt(AgentSnapshot state) {
      return state.suspension().orElseThrow().at().plus(limits.suspension().withoutPages());
    }
  }
}
