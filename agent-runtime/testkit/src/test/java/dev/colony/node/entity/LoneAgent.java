package dev.colony.node.entity;

import com.typesafe.config.Config;
import dev.colony.agent.AgentId;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunRequest;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.agent.client.HistoryPage.StateAt;
import dev.colony.agent.fixture.Waiting;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.client.directory.ChildRegistry;
import dev.colony.client.directory.ChildService;
import dev.colony.client.directory.ChildService.ChildrenSettings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.client.history.AgentHistory.Replayed;
import dev.colony.client.session.ResultPublisher.RunRecorder;
import dev.colony.core.lifecycle.Intent;
import dev.colony.core.registry.AgentTypes;
import dev.colony.journal.LostLogs.EventLosses;
import dev.colony.node.NodePorts;
import dev.colony.node.entity.EntityClient.AcceptReply;
import dev.colony.node.entity.EntityClient.WakeReply;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.AskPattern;

/** The actor of one agent in an actor system of its own, without a cluster, for tests. */
public final class LoneAgent {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final ActorSystem<Object> system;
  private final ActorRef<AgentMessage> agent;
  private final AtomicInteger passivations;
  private final AtomicInteger words = new AtomicInteger();

  private LoneAgent(ActorSystem<Object> system, AtomicInteger passivations) {
    this.system = system;
    this.agent = system.narrow();
    this.passivations = passivations;
  }

  /**
   * Starts the actor, which recovers.
   *
   * @param unit in which it lives
   * @param others the agent where else it may live; asked from any thread when something is for it
   *     there
   * @param services at least {@link Blackboards} and an inference gateway
   */
  public static LoneAgent start(
      AgentId agent,
      int unit,
      IntFunction<LoneAgent> others,
      Config config,
      NodePorts services,
      AgentTypes types) {
    AgentSettings settings = Settings.read(AgentSettings.class, config);
    Blackboards blackboards = services.get(Blackboards.class);
    HomeResolver homes = HomeResolver.byHash(settings.placementUnits());
    BlackboardColony colony =
        new BlackboardColony(blackboards, homes, Settings.read(ClientSettings.class, config));
    ChildrenSettings children = Settings.read(ChildrenSettings.class, config);
    EntityServices around =
        EntityServices.of(
            "lone",
            settings,
            config,
            AgentShards.services(
                settings,
                config,
                types,
                services,
                new ChildService(
                    blackboards, new ChildRegistry(blackboards, homes, children), colony),
                RunRecorder.NONE,
                Waiting.on(blackboards, config),
                (origin, at) ->
                    CompletableFuture.completedStage(
                        new Replayed.Missing(new StateAt.Unknown(origin))),
                (stepped, took) -> {},
                task -> Thread.ofVirtual().start(task)),
            EventLosses.NONE);
    AtomicInteger passivations = new AtomicInteger();
    return new LoneAgent(
        ActorSystem.create(
            LoneShard.create(
                unit,
                (home, message) -> others.apply(home).agent.tell(message),
                shard -> AgentEntity.create(agent, around, shard),
                passivations),
            "lone",
            config),
        passivations);
  }

  /** Has a run accepted; the reply's text. */
  public CompletionStage<String> accept(RunRequest request) {
    return told(replyTo -> new AgentMessage.Accept(request, replyTo));
  }

  /** Tells of a write; the reply's text. */
  public CompletionStage<String> notice(Scope scope, Position position) {
    return AskPattern.<AgentMessage, WakeReply>ask(
            agent,
            replyTo -> new AgentMessage.Notice(scope, position, replyTo),
            PATIENCE,
            system.scheduler())
        .thenApply(WakeReply::toString);
  }

  /** Has the agent suspended by a caller; the reply's text. */
  public CompletionStage<String> suspend(Optional<ResumptionCondition> until) {
    return told(replyTo ->
        new AgentMessage.Apply(
            new Intent.Suspend(SuspensionCause.EXPLICIT, "scripted by the test", until),
            Optional.of(new Position(1, words.incrementAndGet())),
            replyTo));
  }

  /**
   * Has one suspension of the agent end, or, if that is empty, whichever lasts; the reply's text.
   */
  public CompletionStage<String> resume(OptionalLong suspension) {
    return told(replyTo ->
        new AgentMessage.Apply(
            new Intent.Resume(suspension, "scripted by the test"), Optional.empty(), replyTo));
  }

  /** Has the agent live in another unit; the reply's text. */
  public CompletionStage<String> rehome(int unit) {
    return told(replyTo ->
        new AgentMessage.Apply(
            new Intent.Rehome(unit, "scripted by the test"), Optional.empty(), replyTo));
  }

  /** Has the agent be there if it has something to do. */
  public void wake() {
    agent.tell(new AgentMessage.Wake());
  }

  private CompletionStage<String> told(Function<ActorRef<AcceptReply>, AgentMessage> message) {
    return AskPattern.<AgentMessage, AcceptReply>ask(
            agent, message::apply, PATIENCE, system.scheduler())
        .thenApply(AcceptReply::toString);
  }

  /** How often it has asked to leave memory. */
  public int passivations() {
    return passivations.get();
  }

  /** Ends the actor system; does not wait for that. */
  public void drop() {
    system.terminate();
  }
}
