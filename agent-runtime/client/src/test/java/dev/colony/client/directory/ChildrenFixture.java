package dev.colony.client.directory;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.Blueprint;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.author.Agent.WhileWaiting;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Children;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.AgentSignal;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.client.directory.ChildService.ChildrenSettings;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;

/** A parent on any blackboard, and what tests see of its children. */
abstract class ChildrenFixture {

  /** So slow that only an event can be in time. */
  static final Duration NEVER = Duration.ofHours(1);

  static final Duration LONG = Duration.ofSeconds(60);
  static final AgentBlueprint WORKER = AgentBlueprint.of(Blueprint.of("test.worker"));
  static final AgentBlueprint OTHER = AgentBlueprint.of(Blueprint.of("test.other"));

  final String colony = "c-" + UUID.randomUUID();
  final AgentId boss = id("boss");

  abstract Blackboards blackboards();

  @BeforeEach
  void enterTheParent() {
    colony().spawn(boss, WORKER).toCompletableFuture().join();
  }

  static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  static void refused(Callable<?> call, String part) {
    assertThatThrownBy(call::call)
        .isInstanceOf(AgentException.class)
        .hasMessageContaining(part)
        .matches(refusal -> !((AgentException) refusal).retryable());
  }

  AgentState state(AgentHandle agent) {
    return agent.state().toCompletableFuture().join().orElseThrow().state();
  }

  void announce(String name, AgentState state) {
    announce(name, state, new ChildrenSettings(100, 8, 100));
  }

  void announce(String name, AgentState state, ChildrenSettings settings) {
    Optional<String> reason =
        state == AgentState.FAILED ? Optional.of("because") : Optional.empty();
    families(settings).announce(id(name), state, reason).toCompletableFuture().join();
  }

  List<InboxMessage> messagesTo(AgentId agent) {
    var inbox = blackboards().inbox();
    return IntStream.range(0, inbox.buckets())
        .mapToObj(bucket -> inbox.pending(bucket, 10_000).toCompletableFuture().join())
        .flatMap(List::stream)
        .filter(message -> message.recipient().equals(agent.persistenceId()))
        .toList();
  }

  List<AgentSignal> signals(String name) {
    return messagesTo(id(name)).stream()
        .flatMap(message -> AgentSignal.of((InboxMessage.Request) message).stream())
        .toList();
  }

  Children children(AgentId parent) {
    return children(parent, new ChildrenSettings(100, 8, 100));
  }

  Children children(AgentId parent, ChildrenSettings settings) {
    return families(settings)
        .of(parent, () -> ExecutionContext.of(parent, new RunId("r1")), () -> WhileWaiting.NOTHING);
  }

  ChildService families(ChildrenSettings settings) {
    ChildRegistry nursery = new ChildRegistry(blackboards(), HomeResolver.byHash(4), settings);
    return new ChildService(blackboards(), nursery, colony(), NEVER);
  }

  AgentDirectory directory() {
    return new AgentDirectory(blackboards());
  }

  Colony colony() {
    return new BlackboardColony(
        blackboards(),
        HomeResolver.byHash(4),
        Settings.read(ClientSettings.class, ConfigFactory.load()));
  }

  AgentId id(String name) {
    return new AgentId("acme", colony, name);
  }
}
