package dev.colony.node.entity;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.EventBatch;
import dev.colony.agent.TraceParent;
import dev.colony.core.dispatch.Backoff;
import dev.colony.core.dispatch.LogNames;
import dev.colony.core.lifecycle.ActiveRun;
import dev.colony.core.lifecycle.ActiveRun.Blocked;
import dev.colony.core.lifecycle.AgentCommand;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.AgentSnapshot;
import dev.colony.core.lifecycle.Effects;
import dev.colony.core.lifecycle.Effects.AgentEffect;
import dev.colony.core.lifecycle.Intent;
import dev.colony.core.lifecycle.RecoveryPolicy;
import dev.colony.core.lifecycle.Rewinding;
import dev.colony.core.lifecycle.Rewinding.Past;
import dev.colony.core.lifecycle.RunQueue.QueuedRun;
import dev.colony.node.SpanListener;
import dev.colony.node.SpanListener.Span;
import dev.colony.node.activation.CancellationToken;
import dev.colony.node.activation.StepRunner;
import dev.colony.node.resumption.Resumptions.Trigger;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorSystem;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out the effects of an agent beside its actor, which is told, from any thread, what came
 * of them; of an effect that was cancelled it is told nothing. Used by the agent's actor only, but
 * for what comes back.
 */
final class EffectExecutor implements StepRunner.StepReports {

  private static final Logger LOG = LoggerFactory.getLogger(EffectExecutor.class);
  private static final String AGAIN = "; it is tried again when the agent starts again";

  private final AgentId agent;
  private final EntityServices services;
  private final AgentNotices notices;
  private final Consumer<AgentMessage> self;
  private final ActorSystem<?> system;
  private StepRunner steps;

  /** The name of the step that was begun last. */
  private String begun = "";

  /** Those that the open run waits for and that are known to have ended. */
  private final Set<AgentId> ended = new HashSet<>();

  /**
   * @param self takes what comes of the work, from any thread
   */
  EffectExecutor(
      AgentId agent,
      EntityServices services,
      AgentNotices notices,
      Consumer<AgentMessage> self,
      ActorSystem<?> system) {
    this.agent = agent;
    this.services = services;
    this.notices = notices;
    this.self = self;
    this.system = system;
  }

  /** The journal tells which step was under way when it ended, if one was. */
  void recovered(AgentSnapshot state) {
    begun =
        RecoveryPolicy.atWork(state)
            ? Effects.stepName(agent, state.queue().getFirst(), state.active().orElseThrow())
            : "";
  }

  void settle(AgentBlueprint blueprint) {
    rest();
    steps = services.activations().steps(agent, blueprint, this);
  }

  /** Lets go of what the steps keep between them. */
  void rest() {
    if (steps != null) {
      steps.rest();
    }
  }

  /** Finds out whether the policy takes events into its runs. */
  void learn(AgentSnapshot state, CancellationToken token) {
    steps.learn(state.memory(), token);
  }

  /** Asks the directory what the agent is, so that it can be taken over. */
  void lookUp(CancellationToken asked) {
    repeat("looking up agent " + agent, asked, () -> services.initialState().of(agent))
        .whenComplete((found, failure) -> {
          if (!asked.cancelled()) {
            self.accept(
                failure == null
                    ? found
                    : new AgentMessage.Unborn(
                        "the agent cannot be started: " + Backoff.cause(failure).getMessage()));
          }
        });
  }

  /** The directory is not asked again of an agent that is known to have ended. */
  void ended(AgentId other) {
    ended.add(other);
  }

  /**
   * Starts an effect. What the state says of its run is made known before the run makes anything
   * else known.
   *
   * @param unfit why the agent cannot be built here; empty if it can
   * @param token cancelled when the effect is void
   */
  void start(
      AgentEffect effect, AgentSnapshot state, Optional<String> unfit, CancellationToken token) {
    CompletableFuture<Void> told = notices.tell(state, unfit);
    switch (effect) {
      case AgentEffect.Nothing nothing -> {}
      case AgentEffect.IssueCommand tell
          when tell.command() instanceof AgentCommand.Apply apply
              && apply.intent() instanceof Intent.Suspend suspend ->
          suspend(suspend, apply.at(), token);
      case AgentEffect.IssueCommand tell -> back(token, tell.command());
      case AgentEffect.Iterate iterate -> {
        ended.clear();
        boolean again = iterate.name().equals(begun);
        begun = iterate.name();
        steps.iterate(iterate, state, told, again, token);
      }
      case AgentEffect.FinishIntended finish -> steps.finish(finish, state, told, token);
      case AgentEffect.Publish publish -> publish(publish, state, told, token);
      case AgentEffect.WatchScopes watch ->
          events(
              "registering what wakes agent " + agent,
              token,
              () -> services.events().watch(agent, watch));
      case AgentEffect.ReadEvents read ->
          events(
              "reading the events of " + read.watch().scope(),
              token,
              () -> services.events().read(agent, read));
      case AgentEffect.Announce announce ->
          write(
              "announcing that agent " + agent + " is " + announce.state(),
              "that agent " + agent + " is " + announce.state() + " cannot be made known",
              token,
              () ->
                  services
                      .shared()
                      .families()
                      .announce(agent, announce.state(), state.reason())
                      .thenCompose(done ->
                          services.shared().resumptions().happened(new Trigger.AgentEnded(agent))),
              () -> new AgentCommand.ConfirmAnnounced(announce.state(), services.now()));
      case AgentEffect.EnterSuspension enter -> {
        long number = enter.suspension().number();
        write(
            "entering suspension " + number + " of agent " + agent,
            "suspension " + number + " of agent " + agent + " cannot be entered",
            token,
            () -> services.shared().resumptions().enter(agent, enter.suspension()),
            () -> new AgentCommand.ConfirmSuspended(number, services.now()));
      }
      case AgentEffect.Rewind rewind -> rewind(rewind.rewinding(), token);
      case AgentEffect.MoveHome move ->
          write(
              "having it known that agent " + agent + " lives in unit " + move.unit(),
              "that agent " + agent + " lives in unit " + move.unit() + " cannot be made known",
              token,
              () -> services.directory().move(agent, move.unit(), state.incarnation()),
              () -> new AgentCommand.ConfirmRehomed(move.unit(), services.now()));
    }
  }

  /** What was said before the run asks is no answer to that. */
  private void suspend(Intent.Suspend suspend, Instant at, CancellationToken asked) {
    if (suspend.until().isEmpty()) {
      back(asked, new AgentCommand.Apply(suspend, at));
      return;
    }
    repeat(
            "looking since when that counts which agent " + agent + " is to wait for",
            asked,
            () -> services.shared().resumptions().anchored(agent, suspend.until().get()))
        .thenAccept(anchored -> back(asked, new AgentCommand.Apply(suspend.until(anchored), at)))
        .exceptionally(
            failure -> troubled(asked, "agent " + agent + " cannot be suspended", failure));
  }

  /**
   * The result is taken back before: who asks for it meanwhile waits for that of the next attempt.
   */
  private void rewind(Rewinding rewinding, CancellationToken asked) {
    repeat(
            "reading what run " + rewinding.run() + " of " + agent + " is rewound to",
            asked,
            () ->
                services
                    .shared()
                    .history()
                    .rewinding(agent, rewinding.run(), rewinding.step())
                    .thenApply(reading -> reading.past(rewinding.attempt()))
                    .thenCompose(past ->
                        past instanceof Past.Found found
                            ? services
                                .results()
                                .withdraw(agent, found.request())
                                .thenApply(done -> past)
                            : CompletableFuture.completedStage(past)))
        .thenAccept(past -> back(asked, new AgentCommand.CompleteRewind(past, services.now())))
        .exceptionally(failure ->
            troubled(
                asked,
                "run %s of %s cannot be rewound".formatted(rewinding.run(), agent),
                failure));
  }

  private void publish(
      AgentEffect.Publish publish,
      AgentSnapshot state,
      CompletionStage<Void> told,
      CancellationToken token) {
    AgentRun run = publish.run();
    Optional<Instant> accepted =
        state.queue().stream()
            .filter(queued -> queued.runId().equals(run.runId()))
            .map(QueuedRun::acceptedAt)
            .findFirst();
    write(
        "publishing the result of run " + run.runId(),
        "the result of run " + run.runId() + " of " + agent + " cannot be published",
        token,
        () ->
            told.thenCompose(
                done -> services.results().publish(agent, publish.request(), run, accepted)),
        () -> {
          ended(publish, accepted);
          return new AgentCommand.ConfirmPublished(run.runId(), services.now());
        });
  }

  /** A failure that no caller is told of is logged here. */
  private void ended(AgentEffect.Publish publish, Optional<Instant> accepted) {
    AgentRun run = publish.run();
    boolean woken = EventBatch.of(publish.request()).isPresent();
    services.agents().runEnded(run, woken);
    services
        .shared()
        .ports()
        .find(SpanListener.class)
        .filter(listener -> TraceParent.of(agent, publish.request().context()).sampled())
        .ifPresent(listener ->
            listener.ended(
                Span.run(
                    agent,
                    publish.request(),
                    run,
                    accepted.orElse(publish.request().at()),
                    services.now())));
    if (woken && run.status() == AgentRun.Status.FAILED) {
      LogNames.of(agent, run.runId())
          .run(() ->
              LOG.warn(
                  "run {} of agent {}, which events have started, has failed: {}",
                  run.runId(),
                  agent,
                  run.error().orElse("no reason is known")));
    }
  }

  /**
   * Unblocks a run that waits for agents which have all ended: one may have ended before the run
   * came to wait, so that no signal of it comes any more.
   */
  void awaitOthers(AgentSnapshot state, CancellationToken asked) {
    List<AgentId> others =
        state.active().flatMap(ActiveRun::blocked).map(Blocked::blockingAgentIds).orElse(List.of());
    if (state.state() != AgentState.WAITING || others.isEmpty()) {
      return;
    }
    ended.retainAll(others);
    Set<AgentId> over = new HashSet<>(ended);
    repeat(
            "looking whether agents have ended that " + agent + " waits for",
            asked,
            () -> services.directory().allEnded(others, over))
        .thenAccept(all -> {
          if (all) {
            back(
                asked,
                new AgentCommand.Apply(
                    new Intent.ChangeState(
                        LifecycleCommand.UNBLOCK, "all that were waited for have ended"),
                    services.now()));
          }
        })
        .exceptionally(failure ->
            troubled(
                asked,
                "it is not known whether the agents have ended that " + agent + " waits for",
                failure));
  }

  private void events(
      String what, CancellationToken asked, Supplier<CompletionStage<AgentCommand>> operation) {
    repeat(what, asked, operation)
        .whenComplete((command, failure) -> {
          if (failure == null) {
            back(asked, command);
          } else if (!asked.cancelled()) {
            LogNames.of(agent)
                .run(() ->
                    LOG.error(
                        "agent {} goes on without its events until it starts again; {} failed: {}",
                        agent,
                        what,
                        Backoff.cause(failure).toString()));
            self.accept(new AgentMessage.Deafened(asked));
          }
        });
  }

  /** Writes what is written again should the store lose it; then tells the actor a command. */
  private <T> void write(
      String what,
      String trouble,
      CancellationToken asked,
      Supplier<CompletionStage<T>> operation,
      Supplier<AgentCommand> then) {
    notices
        .write(what, asked, operation)
        .thenAccept(done -> back(asked, then.get()))
        .exceptionally(failure -> troubled(asked, trouble, failure));
  }

  private Void troubled(CancellationToken asked, String trouble, Throwable failure) {
    if (!asked.cancelled()) {
      LogNames.of(agent).run(() -> LOG.error("{}{}", trouble, AGAIN, Backoff.cause(failure)));
    }
    return null;
  }

  private <T> CompletionStage<T> repeat(
      String what, CancellationToken asked, Supplier<CompletionStage<T>> operation) {
    return services.shared().backoff().repeat(what, asked::cancelled, operation);
  }

  private void back(CancellationToken asked, AgentCommand command) {
    if (!asked.cancelled()) {
      ended(asked, command);
    }
  }

  @Override
  public void ended(CancellationToken asked, AgentCommand command) {
    self.accept(new AgentMessage.Ended(asked, command));
  }

  @Override
  public void record(
      CancellationToken asked, AgentCommand command, CompletableFuture<Void> durable) {
    self.accept(new AgentMessage.Record(asked, command, durable));
  }

  @Override
  public Runnable later(Duration delay, Runnable task) {
    return system.scheduler().scheduleOnce(delay, task, system.executionContext())::cancel;
  }

  @Override
  public void learned(boolean takes) {
    self.accept(new AgentMessage.Learned(takes));
  }

  @Override
  public void broken(VirtualMachineError error) {
    self.accept(new AgentMessage.Broken(error));
  }
}
