package dev.colony.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.Blueprint;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.blackboard.protocol.LifecycleSignal;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What an agent is told from outside arrives in its inbox as what it is, and nothing else does. */
class AgentSignalTest {

  private static final AgentId AGENT = new AgentId("acme", "lab", "a");

  private final Blackboards boards = new InMemoryBlackboards();
  private final AgentHandle agent =
      new BlackboardColony(
              boards,
              HomeResolver.byHash(1),
              Settings.read(ClientSettings.class, ConfigFactory.load()))
          .spawn(AGENT, AgentBlueprint.of(Blueprint.of("test.plain")))
          .toCompletableFuture()
          .join();

  @Test
  void whatAHandleTellsIsReadBack() {
    RunId run = new RunId("r1");
    agent.suspend("over night").toCompletableFuture().join();
    ResumptionCondition until =
        ResumptionCondition.any(
            new ResumptionCondition.Custom("go"), new ResumptionCondition.At(Instant.EPOCH));
    agent.suspend("", until).toCompletableFuture().join();
    agent.signal("go", "").toCompletableFuture().join();
    agent.approve("pay", "ann", "once").toCompletableFuture().join();
    agent.deny("sell", "bob", "").toCompletableFuture().join();
    agent.resume("").toCompletableFuture().join();
    agent.cancel(run, RunOptions.namespace("work"), "too slow").toCompletableFuture().join();
    agent.stop("x".repeat(2_000)).toCompletableFuture().join();
    assertThat(received())
        .containsExactlyInAnyOrder(
            AgentSignal.suspend(AGENT, Optional.empty(), "over night"),
            AgentSignal.suspend(AGENT, Optional.of(until), ""),
            new AgentSignal.Custom(AGENT, "go", ""),
            AgentSignal.approve(AGENT, "pay", true, "ann", "once"),
            AgentSignal.approve(AGENT, "sell", false, "bob", ""),
            AgentSignal.lifecycle(AGENT, LifecycleSignal.RESUME, ""),
            AgentSignal.cancel(AGENT, "work", run, "too slow"),
            AgentSignal.lifecycle(AGENT, LifecycleSignal.STOP, "x".repeat(AgentSignal.MAX_REASON)));
  }

  @Test
  void whoeverWritesToTheInboxHasNoAgentWaitForAnotherTenant() {
    AgentSignal.Wanted own =
        AgentSignal.suspend(
            AGENT,
            Optional.of(
                new ResumptionCondition.Event(
                    Scope.tenant("acme"), new KeyGlob("*"), Optional.of(Position.BEGINNING))),
            "");
    ObjectNode foreign = own.value();
    ((ObjectNode) foreign.path("until")).put("scope", "tenant:rival");
    assertThat(of(own.scope(), own.key(), own.value())).contains(own);
    assertThat(of(own.scope(), own.key(), foreign)).isEmpty();
  }

  @Test
  void aRequestIsNoSignal() {
    agent
        .run(JsonNodeFactory.instance.nullNode(), RunOptions.namespace("work"))
        .stored()
        .toCompletableFuture()
        .join();
    assertThat(received()).isEmpty();
  }

  @Test
  void aSignalOfAnotherScopeIsNone() {
    String stop = AgentSignal.lifecycle(AGENT, LifecycleSignal.STOP, "").key();
    Scope own = AGENT.scope();
    assertThat(of(own, stop)).isPresent();
    assertThat(of(own.namespace("work"), stop)).isEmpty();
    assertThat(of(Scope.agent("acme", "lab", "b"), stop)).isEmpty();
    assertThat(of(Scope.agent("evil", "lab", "a"), stop)).isEmpty();
    assertThat(of(own, "signal:agent:b:stop")).isEmpty();
    assertThat(of(own, "signal:all:stop")).isEmpty();
    assertThat(of(own, "cancel:run:r1")).isEmpty();
    assertThat(of(own.namespace("work"), "cancel:run:r1")).isPresent();
    assertThat(of(own.namespace("work"), "cancel:run:r 1")).isEmpty();
    assertThat(of(Scope.colony("acme", "lab").namespace("agents"), "a")).isEmpty();
  }

  /** Its reader reads for other agents, too, and must not fail. */
  @Test
  void whatOnlyLooksLikeASignalIsNone() {
    Scope own = AGENT.scope();
    Scope directory = Scope.colony("acme", "lab").namespace("agents");
    String name = "x".repeat(300);
    ObjectNode stopped = JsonNodeFactory.instance.objectNode().put("state", "STOPPED");
    assertThat(of(directory, "state:b", stopped)).isPresent();
    assertThat(of(directory, "state:b", stopped.deepCopy().put("state", "GONE"))).isEmpty();
    assertThat(of(directory, "state:" + name, stopped)).isEmpty();
    assertThat(of(own.namespace("work"), "cancel:run:" + name)).isEmpty();
    for (String key :
        List.of(
            new AgentSignal.Custom(AGENT, "go", "").key(),
            AgentSignal.approve(AGENT, "go", true, "me", "").key())) {
      assertThat(of(own, key)).isPresent();
      assertThat(of(own, key.replace("go", name))).isEmpty();
    }
  }

  private static Optional<AgentSignal> of(Scope scope, String key) {
    return of(scope, key, JsonNodeFactory.instance.objectNode());
  }

  private static Optional<AgentSignal> of(Scope scope, String key, JsonNode value) {
    return AgentSignal.of(
        new InboxMessage.Request(
            "1", AGENT.persistenceId(), scope, key, new Position(1, 1), value, false));
  }

  private List<AgentSignal> received() {
    return IntStream.range(0, boards.inbox().buckets())
        .mapToObj(bucket -> boards.inbox().pending(bucket, 100).toCompletableFuture().join())
        .flatMap(List::stream)
        .flatMap(message -> AgentSignal.of((InboxMessage.Request) message).stream())
        .toList();
  }
}
