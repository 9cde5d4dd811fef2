package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.Blueprint;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.Suspension;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.blackboard.InboxMessage;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.client.AgentSignal;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.server.fixture.StoredAgents;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** An agent that a cluster has left, which commands tell something. */
abstract class ToldAgent {

  static final AgentBlueprint BLUEPRINT = AgentBlueprint.of(Blueprint.of("test.policy"));

  static AgentsRig rig;

  AgentId id;

  @BeforeAll
  static void start() {
    rig = new AgentsRig();
  }

  @AfterAll
  static void stop() {
    rig.close();
  }

  @BeforeEach
  void spawn() {
    id = new AgentId("acme", "told", "a-" + UUID.randomUUID());
    rig.spawn(id, BLUEPRINT);
    rig.born(id, BLUEPRINT);
  }

  void notTaken(String state, String... line) {
    List<String> impatient = new ArrayList<>(List.of(line));
    impatient.addAll(List.of("--wait", "1ms"));
    Finished told = rig.colony(impatient.toArray(String[]::new));
    assertThat(told.status()).isEqualTo(1);
    assertThat(told.out())
        .isEqualTo("%s is told, and has not taken it yet: it is %s\n".formatted(id, state));
  }

  /** Plays the node: journals something once the agent has been told. */
  Thread taking(AgentEvent event) {
    return Thread.startVirtualThread(() -> {
      await().atMost(ColonyProcess.LONGEST).until(() -> !signals().isEmpty());
      rig.journal(id, event);
    });
  }

  static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    }
  }

  AgentEvent suspended(SuspensionCause cause, Optional<ResumptionCondition> until) {
    return new AgentEvent.Transitioned(
        LifecycleCommand.SUSPEND,
        AgentState.IDLE,
        AgentState.SUSPENDED,
        "over night",
        Optional.of(new Suspension(1, cause, "over night", until, StoredAgents.START)),
        0,
        StoredAgents.START);
  }

  /** What the agent has been told. */
  List<AgentSignal> signals() {
    var inbox = rig.blackboards().inbox();
    return IntStream.range(0, inbox.buckets())
        .mapToObj(bucket -> inbox.pending(bucket, 10_000).toCompletableFuture().join())
        .flatMap(List::stream)
        .filter(message -> message.recipient().equals(id.persistenceId()))
        .filter(InboxMessage.Request.class::isInstance)
        .flatMap(message -> AgentSignal.of((InboxMessage.Request) message).stream())
        .toList();
  }

  static Finished done(String... arguments) {
    Finished finished = rig.colony(arguments);
    assertThat(finished.status()).as(finished.err()).isZero();
    return finished;
  }
}
