package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.IntNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunProgress;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.RunHandle;
import dev.colony.client.http.HttpColony;
import dev.colony.server.Authenticator.AccessSettings;
import dev.colony.server.Authenticator.OidcSettings;
import dev.colony.server.KeyRing.AccessKey;
import dev.colony.server.Principal;
import dev.colony.server.Principal.Role;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of streams that are open when the file of keys changes. */
class ChangedKeysTest {

  private static final String NAME = "guest";
  private static final String KEY = "key-of-guest";

  private static ApiRig rig;

  @TempDir private Path folder;

  private HttpApi api;
  private AgentId id;
  private RunId run;

  @BeforeAll
  static void begin() {
    rig = new ApiRig();
  }

  @AfterAll
  static void end() {
    rig.close();
  }

  @BeforeEach
  void serve() {
    AccessSettings keys =
        new AccessSettings(keys(guest(ApiRig.TENANT, Role.OPERATOR)), OidcSettings.NONE);
    api =
        rig.start(
            keys,
            Map.of("reload", "100ms", "streams.heartbeat", "100ms", "streams.longest", "30s"));
    id = rig.agent();
    RunHandle asked = agent(ApiRig.key(Role.OPERATOR)).run(IntNode.valueOf(1), options());
    asked.stored().toCompletableFuture().join();
    run = asked.runId();
  }

  @AfterEach
  void close() {
    api.close();
  }

  @Test
  void aKeyThatIsTakenOutEndsItsStreamsAndNoOthers() {
    CompletableFuture<List<Event>> others = followed(ApiRig.key(Role.VIEWER));
    CompletableFuture<List<Event>> ended = followed(KEY);
    rig.emit(id, run, "found", IntNode.valueOf(1));
    keys();
    assertThat(problemOf(ended)).isEqualTo("no-key");
    rig.complete(id, run, IntNode.valueOf(2));
    assertThat(others.join()).extracting(Event::name).containsExactly("progress", "end");
  }

  @Test
  void aKeyThatIsReplacedUnderItsNameEndsTheOldOnesStreams() {
    CompletableFuture<List<Event>> ended = followed(KEY);
    keys(AccessKey.of(new Principal(NAME, ApiRig.TENANT, Role.OPERATOR), "another"));
    assertThat(problemOf(ended)).isEqualTo("no-key");
  }

  @Test
  void aKeyThatIsOfAnotherTenantNowEndsTheStreamsOfThisOne() {
    CompletableFuture<List<Event>> ended = followed(KEY);
    keys(guest("rival", Role.OPERATOR));
    assertThat(problemOf(ended)).isEqualTo("forbidden");
  }

  @Test
  void aKeyThatMayStillReadLosesNothing() {
    CompletableFuture<List<Event>> goesOn = followed(KEY);
    CompletableFuture<List<Event>> ended = followed(ApiRig.key(Role.ADMIN));
    ApiRig.keysOnly(folder, List.of(guest(ApiRig.TENANT, Role.VIEWER)));
    assertThat(problemOf(ended)).isEqualTo("no-key");
    rig.complete(id, run, IntNode.valueOf(2));
    assertThat(goesOn.join()).extracting(Event::name).containsExactly("end");
  }

  @Test
  void aHandleFailsAndSaysWhy() {
    Follower follower = new Follower(new CompletableFuture<>(), new CompletableFuture<>());
    agent(KEY).attach(run, options()).events().subscribe(follower);
    rig.emit(id, run, "found", IntNode.valueOf(1));
    follower.begun().orTimeout(30, TimeUnit.SECONDS).join();
    keys();
    assertThatThrownBy(() -> follower.ended().orTimeout(30, TimeUnit.SECONDS).join())
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOf(AgentException.class)
        .hasMessageContaining("valid key")
        .matches(failure -> !((AgentException) failure).retryable());
  }

  /** The code of the one problem that a stream ends with. */
  private static String problemOf(CompletableFuture<List<Event>> ended) {
    Event last = ended.join().getLast();
    assertThat(last.name()).isEqualTo("problem");
    assertThat(last.data().path("retryable").asBoolean(true)).isFalse();
    return last.data().path("code").asText();
  }

  /** All of the run's events, from a stream that is open now. */
  private CompletableFuture<List<Event>> followed(String key) {
    Stream<String> lines =
        ApiClient.of(api).key(key).stream(
            "%s/agents/%s/runs/%s/events?namespace=%s"
                .formatted(ApiRig.COLONY, id.name(), run, ApiRig.NAMESPACE),
            Map.of());
    return CompletableFuture.supplyAsync(() -> Event.all(lines));
  }

  private AgentHandle agent(String key) {
    return HttpColony.at(api.uri(), key).agent(id);
  }

  private static RunOptions options() {
    return RunOptions.namespace(ApiRig.NAMESPACE);
  }

  private static AccessKey guest(String tenant, Role role) {
    return AccessKey.of(new Principal(NAME, tenant, role), KEY);
  }

  /** The file from here on: one key of each role, and these. */
  private Optional<String> keys(AccessKey... more) {
    return ApiRig.keys(folder, List.of(more)).keysFile();
  }

  /** Hears that a stream has begun, and how it ends. */
  private record Follower(CompletableFuture<Void> begun, CompletableFuture<Void> ended)
      implements Flow.Subscriber<RunProgress> {

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(RunProgress event) {
      begun.complete(null);
    }

    @Override
    public void onError(Throwable failure) {
      ended.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
      ended.complete(null);
    }
  }
}
