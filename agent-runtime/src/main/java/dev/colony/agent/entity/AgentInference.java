package dev.colony.agent.entity;

import dev.colony.agent.AgentException;
import dev.colony.agent.Inference;
import dev.colony.agent.ModelCall;
import dev.colony.agent.hook.HookContext;
import dev.colony.inference.InferenceReply;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * An agent's model calls: journaled by their names while the policy plans, part of the action while
 * one is executed, and nobody's of a background process.
 */
final class AgentInference implements Inference {

  static final String JOIN_POINT = "Inference.infer";

  private final ResidentAgent agent;
  private final ModelCaller models;

  AgentInference(ResidentAgent agent, ModelCaller models) {
    this.agent = agent;
    this.models = models;
  }

  @Override
  public InferenceReply infer(String name, ModelCall call) {
    try {
      return agent
          .hooks()
          .call(
              new HookContext(agent, JOIN_POINT, this, List.of(name, call)),
              () -> ask(name, call));
    } catch (RuntimeException failure) {
      throw failure;
    } catch (Exception failure) {
      throw new AgentException("the model call " + name + " failed: " + failure, failure, false);
    }
  }

  private InferenceReply ask(String name, ModelCall call) {
    Optional<CurrentStep> step = agent.currentStep();
    if (step.isEmpty()) {
      String callId = agent.id().persistenceId() + "/background/" + UUID.randomUUID();
      return models.call(callId, call, agent.running());
    }
    return step.get().acting().isPresent()
        ? within(step.get(), name, call)
        : planning(step.get(), name, call);
  }

  private InferenceReply within(CurrentStep step, String name, ModelCall call) {
    String action = step.acting().orElseThrow().actionId();
    String callId = step.journal().idempotencyKey(action) + "/" + name;
    InferenceReply reply = models.call(callId, call, step.running());
    step.used(reply.usage());
    return reply;
  }

  private InferenceReply planning(CurrentStep step, String name, ModelCall call) {
    Optional<InferenceReply> before = step.journal().answered(name);
    if (before.isPresent()) {
      return before.get();
    }
    InferenceReply reply = models.call(step.name() + "/" + name, call, step.running());
    step.journal().answered(name, reply, !call.pages().isEmpty());
    return reply;
  }
}
