package dev.colony.core.capability;

import dev.colony.agent.EventBatch;
import dev.colony.agent.RunRequest;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.AgentCapability.Publishable;
import dev.colony.agent.author.Background;
import dev.colony.agent.author.EventHandler;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.blackboard.protocol.LifecycleSignalProtocol;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** Handles events of each shape, publishes, and has a process in the background. */
public class Greeter extends AgentCapability {

  public record Greeting(String name, String text) implements Publishable {
    @Override
    public String blackboardKey() {
      return "greeting:" + name;
    }
  }

  public record Farewell(String name) implements Publishable {
    @Override
    public String blackboardKey() {
      return "farewell:" + name;
    }
  }

  public final List<String> seen = new CopyOnWriteArrayList<>();

  public Greeter(CapabilityContext context) {
    super(context);
  }

  @EventHandler(pattern = "greeting:*", contextKey = "greeted")
  String onGreeting(Greeting greeting) {
    seen.add("greeting " + greeting.name());
    return greeting.text();
  }

  @EventHandler(pattern = {"farewell:*", "greeting:*"})
  Optional<String> onAnything(EventBatch.Event event) {
    seen.add("event " + event.key());
    return Optional.empty();
  }

  @EventHandler(protocol = AgentRunProtocol.class)
  EventHandler.Context onRequest(RunRequest request) {
    seen.add("request " + request.runId());
    return new EventHandler.Context("asked", request.input());
  }

  @EventHandler(protocol = LifecycleSignalProtocol.class)
  void onSignal(EventBatch.Event event) {
    seen.add("signal " + event.key());
  }

  @Background(effect = "Forgets old greetings.", every = "30s")
  void forget() {
    seen.add("forgets");
  }

  @Background(name = "breathe", effect = "Breathes.", every = "200ms")
  void inAndOut() {
    throw new IllegalStateException("out of breath");
  }
}
