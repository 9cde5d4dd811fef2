package dev.colony.blackboard.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.blackboard.server.TestUser;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** What the rule of a tenant says; that it suffices and parts, the tests of handles say. */
class TenantRightsTest {

  @Test
  void theCommandsAreThoseOfAnyUserOfTheBlackboard() {
    assertThat(TenantRights.of("acme").stream().filter(word -> word.startsWith("+")))
        .containsExactlyElementsOf(
            Arrays.stream(TestUser.RULES.split(" ")).filter(word -> word.startsWith("+")).toList());
  }

  @Test
  void aTenantThatCannotBeIsRefused() {
    for (String tenant : new String[] {"", "*", "a b", "a/b", "a[b]", "acme ~*"}) {
      assertThatThrownBy(() -> TenantRights.of(tenant))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
