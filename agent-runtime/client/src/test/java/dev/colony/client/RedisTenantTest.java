package dev.colony.client;

import static dev.colony.client.HandleContract.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.TextNode;
import com.typesafe.config.Config;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.Blueprint;
import dev.colony.agent.ResumptionCondition.Approved;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.SessionId;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.HistoryPage.StateAt;
import dev.colony.agent.client.Sessions;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.redis.TenantRights;
import dev.colony.blackboard.server.TestServer;
import dev.colony.journal.Journal.JournalRights;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** With a Redis user who may do no more than what one tenant needs. */
class RedisTenantTest {

  private static final AgentBlueprint BLUEPRINT = AgentBlueprint.of(Blueprint.of("test.any"));
  private static final RunOptions OPTIONS = RunOptions.namespace("work");

  private static TestServer server;
  private static ColonyClient cluster;
  private static ColonyClient holder;

  @BeforeAll
  static void connect() {
    Config config = RedisHandleTest.CONFIG;
    server =
        TestServer.start(
            "user default on nopass ~* &* +@all",
            "user tenant reset on >secret " + words("acme"),
            "user prefix reset on >secret " + words("acm"));
    cluster = ColonyClient.connect(server.uri(), config);
    holder = ColonyClient.connect(server.uri().replace("://", "://tenant:secret@"), config);
  }

  private static String words(String tenant) {
    return String.join(
        " ",
        Stream.concat(TenantRights.of(tenant).stream(), JournalRights.of(tenant).stream())
            .toList());
  }

  @AfterAll
  static void close() {
    Stream.of(cluster, holder).forEach(ColonyClient::close);
    server.close();
  }

  /** Of the tenant's own agents. */
  @Nested
  class OfItsTenant extends HandleContract {
    @Override
    protected Blackboards cluster() {
      return cluster.blackboards();
    }

    @Override
    protected Colony colony(AgentId id) {
      return holder.colony();
    }
  }

  @Test
  void theTenantsAgentsAreToldAndTheirPastIsRead() {
    AgentId id = new AgentId("acme", "lab", "told");
    AgentHandle agent = get(holder.colony().spawn(id, BLUEPRINT));
    get(agent.suspend("why", new Approved("lead")));
    get(agent.resume(""));
    get(agent.signal("go", ""));
    get(agent.approve("lead", "me", ""));
    get(agent.cancel(new RunId("r1"), OPTIONS, ""));
    get(agent.stop(""));
    assertThat(get(agent.state())).isPresent();
    assertThat(get(agent.at(1))).isEqualTo(new StateAt.Unknown(id));
    assertThat(get(agent.history(Optional.empty(), 10)).entries()).isEmpty();
    Sessions sessions = holder.colony().sessions("acme", "lab");
    get(sessions.open(new SessionId("s1"), "me"));
    assertThat(get(sessions.list(Optional.empty(), 10, Optional.empty())).items()).hasSize(1);
    get(
        holder
            .blackboards()
            .open(Scope.tenant("acme"), "me")
            .write(Write.value("k", 1).tags("t").ttl(Duration.ofHours(1))));
  }

  @Test
  void anotherTenantsAgentsAreNeitherAskedNorToldNorSeen() {
    for (String tenant : List.of("evil", "acme2", "acm")) {
      refused(holder, new AgentId(tenant, "lab", "a"));
    }
    try (ColonyClient prefix =
        ColonyClient.connect(
            server.uri().replace("://", "://prefix:secret@"), RedisHandleTest.CONFIG)) {
      refused(prefix, new AgentId("acme", "lab", "a"));
    }
  }

  private static void refused(ColonyClient client, AgentId id) {
    AgentHandle agent = client.colony().agent(id);
    Sessions sessions = client.colony().sessions(id.tenant(), id.colony());
    for (Supplier<CompletionStage<?>> call :
        List.<Supplier<CompletionStage<?>>>of(
            () -> agent.run(TextNode.valueOf("do it"), OPTIONS).stored(),
            () -> agent.attach(new RunId("r1"), OPTIONS).result(),
            () -> agent.ended(new RunId("r1"), OPTIONS),
            () -> agent.cancel(new RunId("r1"), OPTIONS, ""),
            () -> agent.suspend("", new Approved("lead")),
            () -> agent.resume(""),
            () -> agent.stop(""),
            () -> agent.signal("go", ""),
            () -> agent.approve("lead", "me", ""),
            agent::state,
            () -> client.colony().spawn(id, BLUEPRINT),
            () -> sessions.open(new SessionId("s1"), "me"),
            () -> client.blackboards().open(Scope.tenant(id.tenant()), "me").read("k"))) {
      assertThatThrownBy(() -> get(call.get()))
          .isInstanceOfAny(BlackboardException.class, AgentException.class)
          .hasMessageContaining("the Redis user may not touch a key under colony:")
          .matches(failure -> forbidden(failure) || forbidden(failure.getCause()));
    }
    assertThatThrownBy(() -> get(agent.at(1))).hasMessageContaining("may not touch a key");
    assertThatThrownBy(() -> get(agent.history(Optional.empty(), 1)))
        .hasMessageContaining("may not touch a key");
  }

  private static boolean forbidden(Throwable failure) {
    return failure instanceof BlackboardException board && board.reason() == Reason.FORBIDDEN;
  }
}
