package dev.colony.node.entity;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.EventBatch;
import dev.colony.agent.suspension.Suspension;
import dev.colony.core.lifecycle.ActiveRun;
import dev.colony.core.lifecycle.AgentCommand;
import dev.colony.core.lifecycle.AgentEffect;
import dev.colony.core.lifecycle.AgentSnapshot;
import dev.colony.core.lifecycle.Blocked;
import dev.colony.core.lifecycle.Intent;
import dev.colony.core.lifecycle.LifecycleCommand;
import dev.colony.core.lifecycle.QueuedRun;
import dev.colony.core.logging.LogNames;
import dev.colony.core.retry.Backoff;
import dev.colony.node.activation.CancellationToken;
import dev.colony.node.activation.StepReports;
import dev.colony.node.activation.StepRunner;
import dev.colony.node.resumption.Trigger;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts the work of one agent outside its actor and tells the actor, from any thread, what came of
 * it; of work that was cancelled it tells nothing.
 */
final class EffectRunner implements StepReports {

  private static final Logger LOG = LoggerFactory.getLogger(EffectRunner.class);

  private final AgentId agent;
  private final EntityServices services;
  private final Consumer<AgentMessage> self;

  /** Those that the open run waits for and that are known to have ended. */
  private final Set<AgentId> known = new HashSet<>();

  private final RunNotices notices;

  private CancellationToken revising = new CancellationToken();
  private StepRunner steps;

  EffectRunner(AgentId agent, EntityServices services, Consumer<AgentMessage> self) {
    this.agent = agent;
    this.services = services;
    this.self = self;
    this.notices = new RunNotices(agent, services);
  }

  /** Makes ready for an agent of this blueprint; nothing is instantiated. */
  void settle(AgentBlueprint blueprint) {
    steps = services.activations().steps(agent, blueprint, this);
  }

  /** Lets go of whatever the agent works with. */
  void rest() {
    if (steps != null) {
      steps.rest();
    }
  }

  /** Makes the policy, to know what it wants of events. */
  void learn(AgentSnapshot state, CancellationToken token) {
    steps.learn(state.memory(), token);
  }

  /**
   * Starts a piece of work; returns at once. What the state says of its run is made known before
   * the run makes anything else known.
   *
   * @param state in which it is to be done
   * @param unfit why the agent cannot be built here; empty if it can
   */
  void start(
      AgentEffect work, AgentSnapshot state, Optional<String> unfit, CancellationToken token) {
    CompletableFuture<Void> told = notices.tell(state, unfit);
    switch (work) {
      case AgentEffect.Nothing nothing -> {}
      case AgentEffect.IssueCommand tell
          when tell.command() instanceof AgentCommand.Apply apply
              && apply.intent() instanceof Intent.Suspend suspend ->
          suspend(suspend, apply.at(), token);
      case AgentEffect.IssueCommand tell -> back(token, tell.command());
      case AgentEffect.Iterate iterate -> {
        known.clear();
        steps.iterate(iterate, state, told, token);
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
      case AgentEffect.Announce announce -> announce(announce, state, token);
      case AgentEffect.EnterSuspension enter -> enter(enter.suspension(), token);
      case AgentEffect.MoveHome move -> moveHome(move.unit(), state, token);
    }
  }

  /**
   * Unblocks a run that waits for agents which have all ended: one may have ended before the run
   * came to wait, so that no signal of it comes any more.
   */
  void awaitOthers(AgentSnapshot state, CancellationToken token) {
    List<AgentId> others =
        state.active().flatMap(ActiveRun::blocked).map(Blocked::blockingAgentIds).orElse(List.of());
    if (state.state() != AgentState.WAITING || others.isEmpty()) {
      return;
    }
    known.retainAll(others);
    Set<AgentId> over = new HashSet<>(known);
    repeat(
            "looking whether agents have ended that " + agent + " waits for",
            token,
            () -> services.directory().allEnded(others, over))
        .whenComplete((ended, failure) -> {
          if (failure != null && !token.cancelled()) {
            troubled(
                "agent {} waits and does not know whether the agents have ended that it waits for",
                agent,
                Backoff.cause(failure));
          } else if (failure == null && ended) {
            back(
                token,
                new AgentCommand.Apply(
                    new Intent.ChangeState(
                        LifecycleCommand.UNBLOCK, "all that were waited for have ended"),
                    services.now()));
          }
        });
  }

  /** The directory is not asked again of an agent that is known to have ended. */
  void ended(AgentId other) {
    known.add(other);
  }

  /**
   * Lets the directory know of a state that the agent was moved to. Its end is announced durably,
   * see {@link AgentEffect.Announce}; of another state the next one may be known first or alone.
   */
  void makeKnown(AgentSnapshot state) {
    if (!state.state().terminal()) {
      services
          .shared()
          .families()
          .announce(agent, state.state(), state.reason())
          .whenComplete((done, failure) -> {
            if (failure != null) {
              LOG.debug("that agent {} is {} is not known", agent, state.state(), failure);
            }
          });
    }
  }

  /**
   * Lets the directory know of the agent's last revision; also of one that was made before the
   * agent was started here, since its node may have died before it said so.
   */
  void makeRevisionKnown(AgentSnapshot state) {
    if (state.revision().isEmpty() || state.state().terminal()) {
      return;
    }
    AgentBlueprint blueprint = state.blueprint().orElseThrow();
    int number = state.revision().get().number();
    revising.cancel();
    revising = new CancellationToken();
    CancellationToken token = revising;
    write(
            "making revision " + number + " of agent " + agent + " known",
            token,
            () -> services.directory().revise(agent, blueprint, number, state.incarnation()))
        .whenComplete((done, failure) -> {
          if (failure != null && !token.cancelled()) {
            troubled(
                "what agent {} is by revision {} is not known; it is said again when it starts"
                    + " again: {}",
                agent,
                number,
                Backoff.cause(failure).toString());
          }
        });
  }

  /** The agent's actor is at its end. */
  void ends() {
    revising.cancel();
    notices.end();
  }

  /** Asks the directory what the agent is, so that it can be taken over. */
  void askDirectory(CancellationToken lookup) {
    repeat("looking up agent " + agent, lookup, () -> services.initialState().of(agent))
        .whenComplete((found, failure) -> {
          if (lookup.cancelled()) {
            return;
          }
          self.accept(
              failure == null
                  ? found
                  : new AgentMessage.Unborn(
                      "the agent cannot be started: " + Backoff.cause(failure).getMessage()));
        });
  }

  /** What was said before the run asks is no answer to that. */
  private void suspend(Intent.Suspend suspend, Instant at, CancellationToken token) {
    if (suspend.until().isEmpty()) {
      back(token, new AgentCommand.Apply(suspend, at));
      return;
    }
    repeat(
            "looking since when that counts which agent " + agent + " is to wait for",
            token,
            () -> services.shared().resumptions().anchored(agent, suspend.until().get()))
        .whenComplete((anchored, failure) -> {
          if (failure == null) {
            back(token, new AgentCommand.Apply(suspend.until(anchored), at));
          } else if (!token.cancelled()) {
            troubled(
                "agent {} cannot be suspended; it is tried again when the agent starts again",
                agent,
                Backoff.cause(failure));
          }
        });
  }

  private static Optional<Instant> accepted(AgentEffect.Publish publish, AgentSnapshot state) {
    return state.queue().stream()
        .filter(run -> run.runId().equals(publish.run().runId()))
        .map(QueuedRun::acceptedAt)
        .findFirst();
  }

  private void publish(
      AgentEffect.Publish publish,
      AgentSnapshot state,
      CompletionStage<Void> told,
      CancellationToken token) {
    Optional<Instant> accepted = accepted(publish, state);
    write(
            "publishing the result of run " + publish.run().runId(),
            token,
            () ->
                told.thenCompose(done ->
                    services.results().publish(agent, publish.request(), publish.run(), accepted)))
        .whenComplete((written, failure) -> {
          if (failure == null) {
            ended(publish);
            back(token, new AgentCommand.ConfirmPublished(publish.run().runId(), services.now()));
          } else if (!token.cancelled()) {
            LogNames.of(agent, publish.run().runId())
                .run(() ->
                    LOG.error(
                        "the result of run {} of {} cannot be published; it is tried again when the"
                            + " agent starts again",
                        publish.run().runId(),
                        agent,
                        Backoff.cause(failure)));
          }
        });
  }

  /** A failure that no caller is told of is logged here. */
  private void ended(AgentEffect.Publish publish) {
    AgentRun run = publish.run();
    boolean woken = EventBatch.of(publish.request()).isPresent();
    services.agents().runEnded(run, woken);
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

  private void moveHome(int unit, AgentSnapshot state, CancellationToken token) {
    long incarnation = state.incarnation();
    write(
            "having it known that agent " + agent + " lives in unit " + unit,
            token,
            () -> services.directory().move(agent, unit, incarnation))
        .whenComplete((done, failure) -> {
          if (failure == null) {
            back(token, new AgentCommand.ConfirmRehomed(unit, services.now()));
          } else if (!token.cancelled()) {
            troubled(
                "that agent {} lives in unit {} cannot be made known; it is tried again"
                    + " when the agent starts again",
                agent,
                unit,
                Backoff.cause(failure));
          }
        });
  }

  private void announce(
      AgentEffect.Announce announce, AgentSnapshot state, CancellationToken token) {
    Optional<String> reason = state.reason();
    write(
            "announcing that agent " + agent + " is " + announce.state(),
            token,
            () ->
                services
                    .shared()
                    .families()
                    .announce(agent, announce.state(), reason)
                    .thenCompose(done ->
                        services.shared().resumptions().happened(new Trigger.AgentEnded(agent))))
        .whenComplete((done, failure) -> {
          if (failure == null) {
            back(token, new AgentCommand.ConfirmAnnounced(announce.state(), services.now()));
          } else if (!token.cancelled()) {
            troubled(
                "that agent {} is {} cannot be made known; it is tried again when the agent"
                    + " starts again",
                agent,
                announce.state(),
                Backoff.cause(failure));
          }
        });
  }

  private void enter(Suspension suspension, CancellationToken token) {
    write(
            "entering suspension " + suspension.number() + " of agent " + agent,
            token,
            () -> services.shared().resumptions().enter(agent, suspension))
        .whenComplete((done, failure) -> {
          if (failure == null) {
            back(token, new AgentCommand.ConfirmSuspended(suspension.number(), services.now()));
          } else if (!token.cancelled()) {
            troubled(
                "suspension {} of agent {} cannot be entered; it is tried again when the"
                    + " agent starts again",
                suspension.number(),
                agent,
                Backoff.cause(failure));
          }
        });
  }

  /**
   * No signal needs to wake the agent from this any more; one that does nevertheless is refused.
   */
  void forget(Suspension over) {
    if (over.until().isPresent()) {
      services
          .shared()
          .resumptions()
          .leave(agent, over.number())
          .whenComplete((done, failure) -> {
            if (failure != null) {
              LOG.debug("suspension {} of {} stays entered", over.number(), agent, failure);
            }
          });
    }
  }

  private void events(
      String what, CancellationToken token, Supplier<CompletionStage<AgentCommand>> asked) {
    repeat(what, token, asked)
        .whenComplete((command, failure) -> {
          if (failure == null) {
            back(token, command);
          } else if (!token.cancelled()) {
            troubled(
                "agent {} goes on without its events until it starts again; {} failed: {}",
                agent,
                what,
                Backoff.cause(failure).toString());
            self.accept(new AgentMessage.Deafened(token));
          }
        });
  }

  private void troubled(String what, Object... details) {
    LogNames.of(agent).run(() -> LOG.error(what, details));
  }

  private <T> CompletionStage<T> repeat(
      String what, CancellationToken token, Supplier<CompletionStage<T>> operation) {
    return services.settings().blackboardBackoff().repeat(what, token::cancelled, operation);
  }

  /** The same of a write that is made again should the store lose it. */
  private <T> CompletionStage<T> write(
      String what, CancellationToken token, Supplier<CompletionStage<T>> operation) {
    return repeat(what, token, operation)
        .whenComplete((done, failure) -> {
          if (failure == null) {
            services
                .losses()
                .written(
                    what,
                    () ->
                        services
                            .settings()
                            .blackboardBackoff()
                            .repeat(what, () -> false, operation));
          }
        });
  }

  private void back(CancellationToken asked, AgentCommand command) {
    if (!asked.cancelled()) {
      self.accept(new AgentMessage.Ended(asked, command));
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
  public void learned(boolean takesEvents) {
    self.accept(new AgentMessage.Learned(takesEvents));
  }

  @Override
  public void broken(VirtualMachineError error) {
    self.accept(new AgentMessage.Broken(error));
  }
}
