package dev.colony.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.node.Started;
import dev.colony.server.node.LeaseClaim.LeaseState;
import dev.colony.server.node.RedisLease.LeaseOutcome;
import dev.colony.server.node.RedisLease.LeaseOutcome.Denied;
import dev.colony.server.node.RedisLease.LeaseOutcome.Lost;
import dev.colony.server.node.RedisLease.LeaseOutcome.Unanswered;
import dev.colony.server.node.RedisLease.LeaseOutcome.Won;
import dev.colony.server.node.RedisLease.LeaseParts;
import dev.colony.server.node.RedisLease.LeaseStore;
import dev.colony.server.node.RedisLease.LeaseTerms;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.KillArgs;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.protocol.CommandType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One lease, several owners, and a Redis server of their own. */
class LeaseClaimTest {

  private static final Duration LONGEST = Duration.ofSeconds(60);
  private static final Duration SOON = Duration.ofMillis(50);

  /** No time is over within a test, but the one that is set so. */
  private static final LeaseTerms LONG =
      new LeaseTerms(LONGEST, SOON, LONGEST, Duration.ofNanos(1));

  @TempDir private static Path folder;

  private static RedisServerProcess server;

  private final Started started = new Started();
  private final String name = UUID.randomUUID().toString();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().factory());
  private final RedisConnections redis = started.add(new RedisConnections(server.uri(), LONGEST));

  @BeforeAll
  static void start() {
    server = RedisServerProcess.ensure(ServerSettings.in(folder.resolve("redis")));
  }

  @AfterAll
  static void stop() {
    server.stop();
  }

  @AfterEach
  void close() {
    timer.shutdownNow();
    started.close();
  }

  /** A node that wants the lease. */
  private final class Owner {
    final List<LeaseOutcome> outcomes = new CopyOnWriteArrayList<>();
    final List<Optional<Throwable>> lost = new CopyOnWriteArrayList<>();
    final LeaseClaim claim;

    Owner(String self, LeaseTerms terms, String... sameSide) {
      claim =
          new LeaseClaim(
              new LeaseStore(redis, name, self, terms.heartbeatTimeout()),
              self,
              Set.of(sameSide)::contains,
              terms,
              outcomes::add,
              timer);
    }

    boolean acquires() {
      return get(claim.acquire(lost::add));
    }
  }

  @Test
  void ofTwoOwnersOneGetsItUntilItGivesItBack() {
    Owner a = new Owner("a", LONG);
    Owner b = new Owner("b", LONG);
    assertThat(a.acquires()).isTrue();
    assertThat(a.acquires()).as("again").isTrue();
    assertThat(b.acquires()).isFalse();
    assertThat(a.claim.held()).isTrue();
    assertThat(b.claim.held()).isFalse();
    assertThat(b.outcomes).containsExactly(new Denied("a"));

    assertThat(get(b.claim.release())).as("it is not b's").isTrue();
    assertThat(field("owner")).isEqualTo("a");
    assertThat(get(a.claim.release())).isTrue();
    assertThat(a.claim.held()).isFalse();
    assertThat(b.acquires()).isTrue();
    assertThat(a.acquires()).isFalse();
    assertThat(a.lost).isEmpty();
  }

  @Test
  void itIsNotGivenBackAsLongAsSomebodyMayStillAskAboutWhatItDecided() {
    Owner a = new Owner("a", new LeaseTerms(LONGEST, SOON, LONGEST, LONGEST));
    assertThat(a.acquires()).isTrue();
    assertThat(get(a.claim.release())).isFalse();
    assertThat(a.claim.held()).isTrue();
    assertThat(new Owner("b", LONG).acquires()).isFalse();
  }

  @Test
  void whoseTimeIsOverByTheClockOfRedisLosesItToTheNext() {
    Owner a = new Owner("a", LONG);
    assertThat(a.acquires()).isTrue();
    Owner b = new Owner("b", LONG);
    a.claim.close();
    assertThat(b.acquires()).isFalse();
    set("until", "1");
    assertThat(b.acquires()).isTrue();
  }

  @Test
  void aHolderThatStoodStillLearnsThatAnotherSideHasIt() {
    Owner a = new Owner("a", LONG);
    assertThat(a.acquires()).isTrue();
    Owner b = overtaken();
    await().atMost(LONGEST).until(() -> a.outcomes.contains(new Lost("b")));
    assertThat(a.claim.held()).isFalse();
    assertThat(a.lost).containsExactly(Optional.empty());
    assertThat(b.claim.held()).isTrue();
    assertThat(a.acquires()).isFalse();
  }

  @Test
  void aHolderThatStoodStillLearnsThatAnotherSideHadIt() {
    Owner a = new Owner("a", LONG);
    assertThat(a.acquires()).isTrue();
    set("owner", "");
    set("claim", "of another that has given it back");
    set("until", "0");
    await().atMost(LONGEST).until(() -> a.outcomes.contains(new Lost("")));
  }

  /** Takes the lease in the moment in which its time is over. */
  private Owner overtaken() {
    Owner b = new Owner("b", LONG);
    await()
        .atMost(LONGEST)
        .until(() -> {
          set("until", "1");
          return b.acquires();
        });
    return b;
  }

  @Test
  void itIsHeldAfterItsTimeIfNobodyElseWantsIt() {
    Owner a = new Owner("a", LONG);
    assertThat(a.acquires()).isTrue();
    set("until", "1");
    await().atMost(LONGEST).until(() -> Long.parseLong(field("until")) > 1);
    assertThat(a.claim.held()).isTrue();
    assertThat(a.outcomes).containsExactly(new Won());
  }

  @Test
  void aServerThatHasForgottenItIsTold() {
    Owner a = new Owner("a", LONG);
    assertThat(a.acquires()).isTrue();
    String claim = field("claim");
    get(redis.commands().del(key()));
    await().atMost(LONGEST).until(() -> claim.equals(field("claim")));
    assertThat(a.claim.held()).isTrue();
  }

  @Test
  void aSideThatHasItKeepsItWhenAnotherOfItsNodesDecides() {
    Owner a = new Owner("a", LONG);
    Owner b = new Owner("b", LONG, "a");
    assertThat(a.acquires()).isTrue();
    String claim = field("claim");
    assertThat(b.acquires()).isTrue();
    assertThat(field("claim")).isEqualTo(claim);
    await().atMost(LONGEST).until(() -> !a.claim.held());
    assertThat(a.outcomes).as("it has not lost it").containsExactly(new Won());
    assertThat(get(a.claim.release())).isTrue();
    assertThat(b.claim.held()).isTrue();
    assertThat(field("owner")).isEqualTo("b");
  }

  @Test
  void aClockThatIsSetBackHoldsNobodyOffForLonger() {
    LeaseStore store = new LeaseStore(redis, name, "b", LONGEST);
    Owner a = new Owner("a", LONG);
    assertThat(a.acquires()).isTrue();
    a.claim.close();
    long now = get(store.look()).now();
    set("until", Long.toString(now + Duration.ofHours(1).toMillis()));
    assertThat(get(store.look()).holder()).isEqualTo("a");
    assertThat(Long.parseLong(field("until")))
        .isBetween(now, get(store.look()).now() + LONGEST.toMillis());
  }

  @Test
  void aCallIsRepeatedWithoutHarmAndAStragglerDoesNothing() {
    LeaseStore store = new LeaseStore(redis, name, "a", LONGEST);
    LeaseState seen = get(store.look());
    long late = seen.now() + LONGEST.toMillis();
    assertThat(get(store.take(seen, "c-1", late)).done()).isTrue();
    assertThat(get(store.take(seen, "c-1", late)).done()).isTrue();
    assertThat(get(store.release("c-0")).done()).as("another claim").isFalse();
    assertThat(get(store.release("c-1")).done()).isTrue();
    assertThat(get(store.release("c-1")).done()).isTrue();
    assertThat(get(store.take(seen, "c-1", late)).done()).as("sent before").isFalse();
    assertThat(get(store.renew("c-1", "")).done()).as("sent before").isFalse();
    assertThat(get(store.look()).holder()).isEmpty();

    LeaseState again = get(store.look());
    LeaseStore other = new LeaseStore(redis, name, "b", LONGEST);
    assertThat(get(other.take(again, "c-2", late)).done()).isTrue();
    assertThat(get(store.take(again, "c-3", late)).done()).as("seen before").isFalse();
    assertThat(get(store.release("c-2")).done()).as("b's").isFalse();
    assertThat(get(store.look()).holder()).isEqualTo("b");
  }

  @Test
  void aCallThatIsCarriedOutAfterItsCallerHasGivenUpTakesNothing() {
    LeaseStore store = new LeaseStore(redis, name, "a", LONGEST);
    LeaseState seen = get(store.look());
    assertThat(get(store.take(seen, "c-1", seen.now() - 1)).done()).isFalse();
    assertThat(get(store.look()).holder()).isEmpty();
  }

  @Test
  void whoGetsNoAnswerGivesUpAndLeavesItToOthers() throws Exception {
    Duration shortly = Duration.ofMillis(300);
    Owner a = new Owner("a", new LeaseTerms(LONGEST, SOON, shortly, LONGEST));
    signal("STOP");
    try {
      assertThat(a.acquires()).isFalse();
    } finally {
      signal("CONT");
    }
    assertThat(a.outcomes).containsExactly(new Unanswered(shortly));
    assertThat(a.claim.held()).isFalse();
    assertThat(new Owner("b", LONG).acquires()).isTrue();
  }

  @Test
  void exactlyOneGetsItWhileConnectionsBreak() {
    for (int round = 0; round < 20; round++) {
      Owner a = new Owner("a-" + round, LONG);
      Owner b = new Owner("b-" + round, LONG);
      CompletionStage<Boolean> one = a.claim.acquire(a.lost::add);
      CompletionStage<Boolean> other = b.claim.acquire(b.lost::add);
      get(admin().clientKill(KillArgs.Builder.typeNormal()));
      assertThat(List.of(get(one), get(other))).containsExactlyInAnyOrder(true, false);
      assertThat(get(get(one) ? a.claim.release() : b.claim.release())).isTrue();
    }
  }

  @Test
  void aUserThatMayNotDoWhatItTakesIsRefusedAtTheStart() {
    get(
        admin()
            .aclSetuser(
                name,
                AclSetuserArgs.Builder.on()
                    .addPassword("secret")
                    .allKeys()
                    .allChannels()
                    .allCommands()
                    .removeCommand(CommandType.HSET)));
    String uri = server.uri().replaceFirst("://[^@]*@", "://" + name + ":secret@");
    try (RedisConnections barred = new RedisConnections(uri, LONGEST)) {
      assertThatThrownBy(() -> new LeaseParts(barred, outcome -> {}))
          .isInstanceOf(BlackboardException.class)
          .hasMessageContaining("may not run HSET");
    }
  }

  private void signal(String signal) throws Exception {
    new ProcessBuilder("kill", "-" + signal, Long.toString(server.pid())).start().waitFor();
  }

  @SuppressWarnings("unchecked")
  private RedisAsyncCommands<String, byte[]> admin() {
    return (RedisAsyncCommands<String, byte[]>) redis.commands();
  }

  private String key() {
    return "colony:lease:" + name;
  }

  private String field(String field) {
    byte[] value = get(redis.commands().hget(key(), field));
    return value == null ? "" : new String(value, java.nio.charset.StandardCharsets.UTF_8);
  }

  private void set(String field, String value) {
    get(redis.commands().hset(key(), Map.of(field, value.getBytes())));
  }

  private static <T> T get(CompletionStage<T> stage) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    return future.orTimeout(LONGEST.toSeconds(), TimeUnit.SECONDS).join();
  }
}
