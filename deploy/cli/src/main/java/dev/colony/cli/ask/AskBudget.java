package dev.colony.cli.ask;

import dev.colony.agent.TraceBudget;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a run may take, as it is written on the command line: exactly one of the bounds.
 *
 * @param tokens of prompts and replies, cached ones included
 * @param cost in the unit of the prices
 * @param time from when the run is asked for
 */
public record AskBudget(Optional<Long> tokens, Optional<BigDecimal> cost, Optional<Duration> time) {

  private static final Pattern FORM =
      Pattern.compile("(\\$?)(\\d{1,12}(?:\\.\\d{1,9})?)\\s*([a-zA-Z]{0,3})");

  /**
   * Reads {@code 5000}, {@code 200k} or {@code 2M} tokens, {@code 1.50usd} or {@code $1.50} of
   * money, whose currency is for people, and {@code 90s}, {@code 5m} or {@code 1h} of time.
   *
   * @throws IllegalArgumentException on one line, if it is none
   */
  public static AskBudget of(String word) {
    Matcher form = FORM.matcher(word.strip());
    if (!form.matches()) {
      throw refused(word);
    }
    BigDecimal number = new BigDecimal(form.group(2));
    String unit = form.group(3);
    if (number.signum() == 0 || !form.group(1).isEmpty() && !unit.isEmpty()) {
      throw refused(word);
    }
    if (!form.group(1).isEmpty() || unit.length() == 3) {
      return new AskBudget(Optional.empty(), Optional.of(number), Optional.empty());
    }
    return switch (unit) {
      case "" -> tokens(word, number, 1);
      case "k", "K" -> tokens(word, number, 1_000);
      case "M" -> tokens(word, number, 1_000_000);
      case "s" -> time(number, 1_000);
      case "m" -> time(number, 60_000);
      case "h" -> time(number, 3_600_000);
      default -> throw refused(word);
    };
  }

  private static AskBudget tokens(String word, BigDecimal number, long times) {
    BigDecimal tokens = number.multiply(BigDecimal.valueOf(times)).stripTrailingZeros();
    if (tokens.scale() > 0) {
      throw refused(word);
    }
    return new AskBudget(Optional.of(tokens.longValueExact()), Optional.empty(), Optional.empty());
  }

  private static AskBudget time(BigDecimal number, long millis) {
    long whole = number.multiply(BigDecimal.valueOf(millis)).longValue();
    return new AskBudget(
        Optional.empty(), Optional.empty(), Optional.of(Duration.ofMillis(Math.max(1, whole))));
  }

  private static IllegalArgumentException refused(String word) {
    return new IllegalArgumentException(
        "a budget is tokens as in 200k, money as in 1.50usd, or time as in 5m, not: " + word);
  }

  /** Of a run that is asked for now. */
  TraceBudget from(Instant now) {
    return new TraceBudget(tokens, cost, time.map(now::plus));
  }

  /** As people read it. */
  static String of(TraceBudget budget) {
    return budget
        .tokens()
        .map(most -> Amount.tokens(most) + " tokens")
        .or(() -> budget.cost().map(most -> "a cost of " + most.toPlainString()))
        .orElseGet(() ->
            budget
                .until()
                .map(end ->
                    "the time until "
                        + String.format(
                            Locale.ROOT, "%tT", end.atZone(java.time.ZoneId.systemDefault())))
                .orElse("no bound"));
  }
}
