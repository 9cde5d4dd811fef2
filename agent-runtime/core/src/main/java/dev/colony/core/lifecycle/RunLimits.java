package dev.colony.core.lifecycle;

import com.typesafe.config.Config;
import dev.colony.agent.RunBudget;
import dev.colony.blackboard.settings.SettingsReader;
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

  /** No amount of money has more digits, see {@link RunBudget}. */
  private static final MathContext MONEY = new MathContext(40, RoundingMode.DOWN);

  private static final Duration TICK = Duration.ofMillis(10);
  private static final int KIB = 1024;
  private static final int MIB = 1024 * KIB;

  public RunLimits {
    Objects.requireNonNull(most, "most");
    Objects.requireNonNull(prices, "prices");
    Objects.requireNonNull(suspension, "suspension");
    Objects.requireNonNull(step, "step");
    if (usual.iterations().isEmpty() || usual.time().isEmpty()) {
      throw new IllegalArgumentException("a run needs a bound of iterations and of time");
    }
  }

  /**
   * Reads and checks them, from {@code colony.agent}; reference.conf says what each means.
   *
   * @throws com.typesafe.config.ConfigException naming the path, the value and the range
   */
  public static RunLimits fromConfig(Config config) {
    SettingsReader read = SettingsReader.of(config, "colony.agent");
    return new RunLimits(
        budget(read, "run.usual"),
        budget(read, "run.most"),
        read.integer("max-queued-runs", 1, 10_000),
        read.integer("remembered-runs", 0, 10_000),
        read.bytes("max-output", KIB, 64 * MIB),
        read.bytes("history.run-window", 64 * KIB, 1024 * MIB),
        read.integer("max-recoveries", 1, 10_000),
        BudgetSettings.prices(config),
        new SuspensionLimits(
            read.duration("suspension.after-waiting", Duration.ZERO, Duration.ofDays(365)),
            read.integer("suspension.approvals", 0, 10_000),
            PageSettings.fromConfig(config).reloadAfter()),
        new Step(
            read.integer("step.actions", 1, 10_000), read.bytes("step.bytes", KIB, 1024 * MIB)));
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

  private static RunBudget budget(SettingsReader read, String key) {
    return new RunBudget(
        Optional.of(read.integer(key + ".iterations", 1, 10_000_000)),
        Optional.of(read.duration(key + ".time", TICK, Duration.ofDays(3650))),
        bound(read, key + ".tokens").map(BigDecimal::longValueExact),
        bound(read, key + ".cost"));
  }

  /** A positive number, or {@code unlimited}. */
  private static Optional<BigDecimal> bound(SettingsReader read, String key) {
    return read.config().getString(key).equals("unlimited")
        ? Optional.empty()
        : Optional.of(read.decimal(key, true));
  }
}
