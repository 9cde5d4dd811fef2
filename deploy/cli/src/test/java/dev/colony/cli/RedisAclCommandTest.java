package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.redis.TenantRights;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.journal.Journal.JournalRights;
import org.junit.jupiter.api.Test;

/** The Redis user of a tenant, as the command prints it; that it binds, RedisTenantTest says. */
class RedisAclCommandTest {

  @Test
  void theRuleIsOneCommandWithAllThatATenantNeeds() {
    Finished printed = CommandLineRun.of("access", "redis-acl", "--tenant", "acme");
    assertThat(printed.status()).isEqualTo(ExitCode.OK.status());
    assertThat(printed.out().strip())
        .doesNotContain("\n")
        .isEqualTo(
            "ACL SETUSER colony-acme reset on >PASSWORD "
                + String.join(" ", TenantRights.of("acme"))
                + " "
                + String.join(" ", JournalRights.of("acme")));
    assertThat(printed.err()).contains("It cannot part what they", "a key of the HTTP API");
  }

  @Test
  void theUserMayHaveAnotherName() {
    assertThat(CommandLineRun.of("access", "redis-acl", "--tenant", "acme", "--user", "ci").out())
        .startsWith("ACL SETUSER ci reset on ");
  }

  @Test
  void aTenantThatCannotBeIsRefused() {
    Finished refused = CommandLineRun.of("access", "redis-acl", "--tenant", "a b");
    assertThat(refused.status()).isEqualTo(ExitCode.BAD_INPUT.status());
    assertThat(refused.err()).hasLineCount(1).contains("tenant must be 1 to 128 characters");
    assertThat(CommandLineRun.of("access").status()).isEqualTo(ExitCode.BAD_INPUT.status());
  }
}
