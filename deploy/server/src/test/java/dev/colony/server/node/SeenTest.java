package dev.colony.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.server.node.LeaseClaim.LeaseState;
import dev.colony.server.node.LeaseClaim.LeaseState.Next;
import dev.colony.server.node.LeaseClaim.LeaseState.Renewal;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a node makes of what it has seen of the lease. */
class SeenTest {

  private static final Set<String> SIDE = Set.of("a", "b");

  @ParameterizedTest
  @CsvSource({
    "'', '', fresh",
    "'', earlier, fresh",
    "a, earlier, earlier",
    "b, earlier, earlier",
    "c, earlier, ",
  })
  void oneOfASidesNodesTakesItUnderTheClaimOfTheSide(String holder, String claim, String taken) {
    Next next = new LeaseState(1, holder, claim, false).next("a", SIDE::contains, "fresh");
    assertThat(next).isEqualTo(taken == null ? new Next.Leave(holder) : new Next.Take(taken));
  }

  @Test
  void ownersWhoseLeaseHasChangedHandsAreToldByTheClaim() {
    assertThat(new LeaseState(1, "a", "own", true).renewal("own")).isEqualTo(Renewal.KEPT);
    assertThat(new LeaseState(1, "b", "own", false).renewal("own")).isEqualTo(Renewal.PASSED_ON);
    assertThat(new LeaseState(1, "", "own", false).renewal("own")).isEqualTo(Renewal.PASSED_ON);
    assertThat(new LeaseState(1, "c", "theirs", false).renewal("own")).isEqualTo(Renewal.LOST);
    assertThat(new LeaseState(1, "", "theirs", false).renewal("own")).isEqualTo(Renewal.LOST);
  }
}
