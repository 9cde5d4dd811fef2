package dev.colony.core.dispatch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.Suspension.Approval;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.DurableMemory;
import dev.colony.agent.fixture.TestAgent;
import dev.colony.core.lifecycle.SharedActionHistory;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A dispatcher within a run that a test leads, over an agent without an actor. */
final class Dispatching {

  final TestAgent agent;
  final RecordedJournal journal = new RecordedJournal();
  final ActionThreads threads;
  final CapabilityDispatcher dispatcher;
  private final List<ActionCall> history = new ArrayList<>();
  final Map<String, Approval> approvals = new HashMap<>();
  private JsonNode custom = JsonNodeFactory.instance.objectNode();
  private ActionPolicyExecutionState state;

  Dispatching(TestAgent agent, ActionThreads threads) {
    this.agent = agent;
    this.threads = threads;
    this.dispatcher = new CapabilityDispatcher(agent, threads);
    nextIteration();
  }

  /** With the node's settings. */
  static Dispatching of(TestAgent agent) {
    return of(agent, 2, DispatchSettings.Bounds.USUAL);
  }

  /**
   * @param computing actions that compute at once
   */
  static Dispatching of(TestAgent agent, int computing, DispatchSettings.Bounds bounds) {
    DispatchSettings settings = new DispatchSettings(Duration.ofMinutes(10), computing, bounds);
    return new Dispatching(agent, new ActionThreads(settings));
  }

  static JsonNode json(String text) {
    try {
      return new ObjectMapper().readTree(text.replace('\'', '"'));
    } catch (IOException malformed) {
      throw new AssertionError(malformed);
    }
  }

  /** What the next iteration is given has become durable by then. */
  void nextIteration() {
    if (state != null) {
      custom = state.custom();
    }
    RunRequest request =
        new RunRequest(agent.context(), "test", json("{'topic':'merging'}"), "test", Instant.now());
    state =
        new ActionPolicyExecutionState(
            new ActionPolicyExecutionState.Given(
                request,
                history.size(),
                RunStats.NONE,
                SharedActionHistory.of(List.copyOf(history)),
                custom,
                List.of(),
                Optional.empty(),
                DurableMemory.EMPTY,
                approvals));
    dispatcher.enter(state, journal);
  }

  ActionPolicyExecutionState state() {
    return state;
  }

  /** One iteration of one action. */
  ActionResult act(String id, String key, String params) {
    Action action = Action.of(id, key, json(params));
    ActionResult result = dispatcher.dispatch(action);
    history.add(new ActionCall(action, result));
    nextIteration();
    return result;
  }

  /** An action that the test does something to meanwhile. */
  CompletableFuture<ActionResult> start(String id, String key, String params) {
    CompletableFuture<ActionResult> result = new CompletableFuture<>();
    Thread.startVirtualThread(() -> {
      try {
        result.complete(dispatcher.dispatch(Action.of(id, key, json(params))));
      } catch (RuntimeException | Error failure) {
        result.completeExceptionally(failure);
      }
    });
    return result;
  }
}
