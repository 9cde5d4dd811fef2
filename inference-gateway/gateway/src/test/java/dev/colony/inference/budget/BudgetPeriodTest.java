package dev.colony.inference.budget;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.inference.budget.BudgetSettings.Period;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which period an instant lies in, and when the next begins, by UTC. */
class BudgetPeriodTest {

  @ParameterizedTest
  @CsvSource({
    "DAY, 2026-11-30T23:59:59.999Z, 2026-11-30, 2026-12-01T00:00:00Z",
    "DAY, 2028-02-28T00:00:00Z, 2028-02-28, 2028-02-29T00:00:00Z",
    "MONTH, 2026-12-31T12:00:00Z, 2026-12, 2027-01-01T00:00:00Z",
    "MONTH, 2026-11-01T00:00:00Z, 2026-11, 2026-12-01T00:00:00Z",
    "TOTAL, 2026-11-01T00:00:00Z, total,",
  })
  void itEndsWhereTheNextBegins(Period period, Instant at, String name, Instant end) {
    assertThat(period.of(at)).isEqualTo(name);
    assertThat(period.end(at)).isEqualTo(Optional.ofNullable(end));
    period
        .end(at)
        .ifPresent(next -> {
          assertThat(period.of(next)).isNotEqualTo(name);
          assertThat(period.of(next.minusNanos(1))).isEqualTo(name);
        });
  }
}
