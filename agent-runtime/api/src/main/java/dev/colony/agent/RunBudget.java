package dev.colony.agent;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * What one run of an agent may take; the run ends, saying which bound it reached. A bound that is
 * empty is the node's, see {@code colony.agent.run}. A run that has an answer by then ends with
 * that, see {@link AgentRun#partial}; any other fails.
 *
 * @param iterations of the policy
 * @param time from the acceptance to the end, waiting included
 * @param tokens prompt and completion tokens of all its model calls, cached ones included
 * @param cost money in the unit of the node's prices
 * @param whenSpent what becomes of a run that has reached its bound of iterations, tokens or cost;
 *     one that has reached its bound of time ends
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record RunBudget(
    Optional<Integer> iterations,
    Optional<Duration> time,
    Optional<Long> tokens,
    Optional<BigDecimal> cost,
    WhenSpent whenSpent) {

  /** What becomes of a run that has spent its budget. */
  public enum WhenSpent {
    /** It ends: with the answer that it has, or as failed where it has none. */
    FAIL,
    /**
     * It asks for more, as the request {@code budget}: its agent is suspended until a person grants
     * the same budget once more, or denies it, with which the run ends as with {@link #FAIL}.
     */
    SUSPEND
  }

  /** In percent of a bound: a run that has taken so much is to come to its end. */
  private static final int NEAR = 90;

  /** Calls as the run's were on average; where they do not fit into what is left, it is little. */
  private static final int CALLS = 2;

  /** Of a cost, before the point and after it. */
  private static final int MAX_DIGITS = 40;

  public static final RunBudget OF_NODE =
      new RunBudget(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  public RunBudget {
    iterations.ifPresent(value -> positive("iterations", value > 0, value));
    time.ifPresent(value -> positive("time", value.isPositive(), value));
    tokens.ifPresent(value -> positive("tokens", value > 0, value));
    cost.ifPresent(value -> positive("cost", value.signum() > 0, value));
    cost.ifPresent(RunBudget::reckonable);
    Objects.requireNonNull(whenSpent, "whenSpent");
  }

  /** One that ends its run when it is spent. */
  public RunBudget(
      Optional<Integer> iterations,
      Optional<Duration> time,
      Optional<Long> tokens,
      Optional<BigDecimal> cost) {
    this(iterations, time, tokens, cost, WhenSpent.FAIL);
  }

  public RunBudget iterations(int most) {
    return new RunBudget(Optional.of(most), time, tokens, cost, whenSpent);
  }

  public RunBudget time(Duration longest) {
    return new RunBudget(iterations, Optional.of(longest), tokens, cost, whenSpent);
  }

  public RunBudget tokens(long most) {
    return new RunBudget(iterations, time, Optional.of(most), cost, whenSpent);
  }

  public RunBudget cost(BigDecimal most) {
    return new RunBudget(iterations, time, tokens, Optional.of(most), whenSpent);
  }

  public RunBudget whenSpent(WhenSpent what) {
    return new RunBudget(iterations, time, tokens, cost, what);
  }

  /**
   * The first bound that a run comes near to, in words such as {@code 10 iterations}; empty if
   * there is none. Near is 90 percent; besides, one iteration that is left, and tokens or money
   * that are left for less than two calls as the run has made.
   *
   * @param taken by the run so far
   * @param left of its time; empty where that is not known
   */
  public Optional<String> near(RunStats taken, Optional<Duration> left) {
    int steps = taken.steps();
    BigDecimal tokens =
        BigDecimal.valueOf(taken.usage().promptTokens() + taken.usage().completionTokens());
    int calls = Math.max(1, taken.modelCalls());
    return iterations
        .filter(most -> steps + 1 >= most || nearly(BigDecimal.valueOf(steps), most))
        .map(most -> String.format(Locale.ROOT, "%,d iterations", most))
        .or(() ->
            tokens()
                .filter(most -> nearly(tokens, BigDecimal.valueOf(most), calls))
                .map(most -> String.format(Locale.ROOT, "%,d tokens", most)))
        .or(() ->
            cost.filter(most -> nearly(taken.cost(), most, calls))
                .map(most -> "a cost of " + most.toPlainString()))
        .or(() ->
            time.filter(most ->
                    left.filter(rest -> nearly(seconds(most.minus(rest)), seconds(most)))
                        .isPresent())
                .map(most -> "a time of " + most));
  }

  private static BigDecimal seconds(Duration time) {
    return new BigDecimal(time.toMillis()).movePointLeft(3);
  }

  private static boolean nearly(BigDecimal taken, long most) {
    return nearly(taken, BigDecimal.valueOf(most));
  }

  private static boolean nearly(BigDecimal taken, BigDecimal most) {
    return taken.movePointRight(2).compareTo(most.multiply(BigDecimal.valueOf(NEAR))) >= 0;
  }

  private static boolean nearly(BigDecimal taken, BigDecimal most, int calls) {
    BigDecimal left = most.subtract(taken).multiply(BigDecimal.valueOf(calls));
    return nearly(taken, most) || left.compareTo(taken.multiply(BigDecimal.valueOf(CALLS))) < 0;
  }

  /**
   * Reads an amount of money.
   *
   * @throws IllegalArgumentException if it is none, or has more than {@value #MAX_DIGITS} digits
   */
  static BigDecimal money(String text) {
    if (text.length() > 2 * MAX_DIGITS) {
      throw new IllegalArgumentException("a cost has at most " + MAX_DIGITS + " digits");
    }
    BigDecimal amount = new BigDecimal(text);
    reckonable(amount);
    return amount;
  }

  /** A short text may name a number of a billion digits, which no sum would survive. */
  private static void reckonable(BigDecimal amount) {
    if (amount.precision() > MAX_DIGITS || Math.abs((long) amount.scale()) > MAX_DIGITS) {
      throw new IllegalArgumentException("a cost has at most " + MAX_DIGITS + " digits");
    }
  }

  private static void positive(String name, boolean is, Object value) {
    if (!is) {
      throw new IllegalArgumentException(
          "a run's budget of " + name + " must be positive, not: " + value);
    }
  }

  /**
   * What the model calls of a run and of all runs that it sets off may take between them. A call
   * that finds it spent fails, as one that finds the tenant's spent; a call that is under way is
   * not cut off, except by the time. An empty bound bounds nothing.
   *
   * @param tokens prompt and completion tokens, cached ones included; more than 0
   * @param cost money in the unit of the node's prices; more than 0
   * @param until when calls are no longer made
   */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  public record TraceBudget(
      Optional<Long> tokens, Optional<BigDecimal> cost, Optional<Instant> until) {

    public TraceBudget {
      tokens = tokens == null ? Optional.empty() : tokens;
      cost = cost == null ? Optional.empty() : cost;
      until = until == null ? Optional.empty() : until;
      tokens.filter(value -> value <= 0).ifPresent(value -> refuse("tokens", value));
      cost.filter(value -> value.signum() <= 0 || value.precision() > 40)
          .ifPresent(value -> refuse("cost", value));
    }

    /** As it stands in a request; {@link #fromJson} reads it back. */
    ObjectNode toJson() {
      ObjectNode json = JsonNodeFactory.instance.objectNode();
      tokens.ifPresent(most -> json.put("tokens", most));
      cost.ifPresent(most -> json.put("cost", most));
      until.ifPresent(end -> json.put("until", end.toString()));
      return json;
    }

    static TraceBudget fromJson(JsonNode json) {
      return new TraceBudget(
          Optional.ofNullable(json.get("tokens")).map(JsonNode::asLong),
          Optional.ofNullable(json.get("cost")).map(JsonNode::decimalValue),
          Optional.ofNullable(json.get("until")).map(end -> Instant.parse(end.asText())));
    }

    private static void refuse(String name, Object value) {
      throw new IllegalArgumentException("a budget's %s is %s".formatted(name, value));
    }
  }
}
