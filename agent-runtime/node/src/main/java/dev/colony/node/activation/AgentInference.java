package dev.colony.node.activation;

import dev.colony.agent.AgentException;
import dev.colony.agent.ModelCall;
import dev.colony.agent.author.Inference;
import dev.colony.agent.author.JoinPoints;
import dev.colony.inference.InferenceReply;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongConsumer;

/**
 * An agent's model calls: journaled by their names while the policy plans, part of the action while
 * one is executed, and nobody's of a background process.
 */
final class AgentInference implements Inference {

  private final ActiveAgent agent;
  private final ModelCaller models;

  AgentInference(ActiveAgent agent, ModelCaller models) {
    this.agent = agent;
    this.models = models;
  }

  @Override
  public InferenceReply infer(String name, ModelCall call) {
    try {
      return agent
          .hooks()
          .call(
              JoinPoints.INFER,
              agent,
              this,
              () -> models.underWay().make(agent.token(), () -> ask(name, call)),
              name,
              call);
    } catch (RuntimeException failure) {
      throw failure;
    } catch (Exception failure) {
      throw new AgentException("the model call " + name + " failed: " + failure, failure, false);
    }
  }

  private InferenceReply ask(String name, ModelCall call) {
    agent.token().check();
    Optional<CurrentStep> step = agent.currentStep();
    if (step.isEmpty()) {
      String callId = agent.id().persistenceId() + "/background/" + UUID.randomUUID();
      return models.call(callId, call, agent.token(), promptTokens -> {});
    }
    return step.get().acting() ? within(step.get(), name, call) : planning(step.get(), name, call);
  }

  private InferenceReply within(CurrentStep step, String name, ModelCall call) {
    InferenceReply reply = asked(step, step.name() + "/action/" + name, call, promptTokens -> {});
    step.use(reply.usage());
    return reply;
  }

  private InferenceReply planning(CurrentStep step, String name, ModelCall call) {
    Optional<InferenceReply> before = step.journal().answered(name);
    if (before.isPresent()) {
      return before.get();
    }
    InferenceReply reply =
        asked(
            step,
            step.name() + "/" + name,
            call,
            promptTokens -> {
              if (step.meter().bounded()) {
                step.journal().asking(name, promptTokens);
              }
            });
    step.journal().answered(name, reply, !call.pages().isEmpty());
    return reply;
  }

  private InferenceReply asked(
      CurrentStep step, String callId, ModelCall call, LongConsumer begins) {
    step.meter().check();
    InferenceReply reply = models.call(callId, call, step.token(), begins);
    step.meter().add(reply.usage());
    return reply;
  }
}
