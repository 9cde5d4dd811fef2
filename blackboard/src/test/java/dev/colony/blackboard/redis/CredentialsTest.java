package dev.colony.blackboard.redis;

import static dev.colony.blackboard.redis.UnfitServerTest.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.redis.TenantRights.RequiredPermissions;
import dev.colony.blackboard.server.TestServer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Users and what they may do. */
class CredentialsTest {

  private static final Duration SOON = Duration.ofSeconds(5);
  private static final Set<String> COMMANDS = Set.of("HSET", "XADD", "ZADD", "PUBLISH", "TIME");
  private static TestServer server;

  @BeforeAll
  static void start() {
    server =
        TestServer.start(
            "user default off",
            "user full on >p@ss ~colony:* resetchannels &colony:* +@all",
            "user writer on >p@ss ~colony:* resetchannels &colony:* +@all -xadd -zadd",
            "user foreign on >p@ss ~other:* resetchannels &colony:* +@all",
            "user deaf on >p@ss ~colony:* resetchannels &other +@all",
            "user blind on >p@ss ~colony:* resetchannels &colony:* +@all -info");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void userAndPasswordComeFromTheUrl() {
    try (RedisConnections redis = as("full")) {
      redis.commands().set("colony:k", new byte[0]).toCompletableFuture().join();
      RequiredPermissions.check(redis, "colony:scratch", "colony:scratch", COMMANDS);
      assertThat(redis.commands().exists("colony:scratch").toCompletableFuture().join()).isZero();
    }
  }

  @Test
  void passwordThatIsMissingOrWrongIsSaid() {
    assertRefused(server.uri(), Reason.UNAUTHENTICATED, "redis://user:password@host:port");
    assertRefused(
        server.uri().replace("://", "://full:secret@"), Reason.UNAUTHENTICATED, "mend them");
  }

  @Test
  void passwordThatNobodyAskedForIsSaid() {
    try (TestServer open = TestServer.start()) {
      assertRefused(
          open.uri().replace("://", "://:secret@"), Reason.UNAUTHENTICATED, "take it out");
    }
  }

  @Test
  void wrongPasswordOfAClusterIsSaid() {
    try (TestServer member =
        TestServer.start("cluster-enabled yes", "user default off", "user full on >p@ss +@all")) {
      assertRefused(
          member.uri().replace("redis://", "redis-cluster://full:secret@"),
          Reason.UNAUTHENTICATED,
          "mend them");
    }
  }

  @Test
  void commandThatIsNotAllowedIsNamed() {
    assertRefused(
        server.uri().replace("://", "://blind:p%40ss@"),
        Reason.FORBIDDEN,
        "may not run the command INFO",
        "docs/concepts/blackboard.md");
    try (RedisConnections redis = as("writer")) {
      BlackboardException refused =
          failure(redis.commands().zadd("colony:k", 1, new byte[0]).thenApply(n -> n));
      assertThat(refused.reason()).isEqualTo(Reason.FORBIDDEN);
      assertThat(refused).hasMessageContaining("may not run the command ZADD");
    }
  }

  @Test
  void keyAndChannelThatAreNotAllowedAreSaid() {
    try (RedisConnections redis = as("foreign")) {
      assertThat(failure(redis.commands().get("colony:k")))
          .hasMessageContaining("may not touch a key under colony:");
    }
    try (RedisConnections redis = as("deaf")) {
      assertThat(failure(redis.commands().publish("colony:c", new byte[0])))
          .hasMessageContaining("may not use a channel under colony:");
    }
  }

  /** A script that were to run as such a user would stop in its middle. */
  @ParameterizedTest
  @CsvSource({
    "writer, 'may not run XADD, ZADD, or not with keys'",
    "foreign, may not touch a key under colony:",
    "deaf, 'may not run PUBLISH, or not with keys'",
  })
  void whatScriptsMayNotRunIsFoundOutBefore(String user, String missing) {
    try (RedisConnections redis = as(user)) {
      BlackboardException refused =
          catchThrowableOfType(
              BlackboardException.class,
              () -> RequiredPermissions.check(redis, "colony:scratch", "colony:scratch", COMMANDS));
      assertThat(refused.reason()).isEqualTo(Reason.FORBIDDEN);
      assertThat(refused).hasMessageContaining(missing);
    }
  }

  @Test
  void scriptSaysWhichCommandsItRuns() {
    assertThat(
            RedisScript.resource(
                    CredentialsTest.class, "connecting.lua", io.lettuce.core.ScriptOutputType.VALUE)
                .commands())
        .containsExactlyInAnyOrder("SET", "PUBLISH");
  }

  private static RedisConnections as(String user) {
    return new RedisConnections(server.uri().replace("://", "://" + user + ":p%40ss@"), SOON);
  }

  private static BlackboardException failure(CompletionStage<?> stage) {
    return catchThrowableOfType(
        BlackboardException.class,
        () -> {
          try {
            RedisFailure.translate(stage).toCompletableFuture().join();
          } catch (java.util.concurrent.CompletionException wrapper) {
            throw wrapper.getCause();
          }
        });
  }
}
