package dev.colony.node.entity;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.Suspension;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.core.dispatch.Backoff;
import dev.colony.core.dispatch.LogNames;
import dev.colony.core.lifecycle.AgentSnapshot;
import dev.colony.core.lifecycle.RunNotice;
import dev.colony.node.activation.CancellationToken;
import dev.colony.node.resumption.Resumptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What others are told of an agent: the node's listener in which state it is, the directory its
 * state and its revision, and those who follow its run what that waits for and was answered. Used
 * by the agent's actor only.
 *
 * <p>What a run is told comes among its events, each once and in order. A notice is written only
 * where the last one of its name came about before it, which the same transaction looks at: one
 * that a crash has kept back follows when the agent starts again, and one that was written is not
 * written again, also not by another incarnation.
 */
final class AgentNotices {

  private static final Logger LOG = LoggerFactory.getLogger(AgentNotices.class);
  private static final AgentRunProtocol PROTOCOL = new AgentRunProtocol();

  private final AgentId agent;
  private final EntityServices services;
  private Optional<AgentState> here = Optional.empty();

  /** Whether a suspension that is over may be entered still, by another node too. */
  private boolean entered = true;

  private CancellationToken revising = new CancellationToken();

  /** The last of each name that was given on, of the run that is at the head of the queue. */
  private final Map<String, RunNotice> given = new HashMap<>();

  private Optional<RunId> head = Optional.empty();
  private CompletableFuture<Void> told = CompletableFuture.completedFuture(null);
  private volatile boolean over;

  AgentNotices(AgentId agent, EntityServices services) {
    this.agent = agent;
    this.services = services;
  }

  void here(AgentState state) {
    if (here.isEmpty()) {
      services.agents().arrived(state);
    } else if (here.get() != state) {
      services.agents().moved(here.get(), state);
    }
    here = Optional.of(state);
  }

  void end() {
    revising.cancel();
    over = true;
    here.ifPresent(services.agents()::left);
    here = Optional.empty();
  }

  /**
   * The agent has come to another state. Its end is announced durably, see {@link
   * dev.colony.core.lifecycle.Effects.AgentEffect.Announce}; of another state the next one may be
   * known first or alone. No signal needs to wake it from a suspension that is over; one that does
   * nevertheless is refused. So what tells of that suspension alone stays while the agent works: as
   * a rule it is suspended again, which takes the place of that.
   */
  void moved(AgentSnapshot before, AgentSnapshot state) {
    here(state.state());
    boolean terminal = state.state().terminal();
    boolean changed = !before.suspension().equals(state.suspension());
    if (changed && !terminal) {
      unlessFailing(
          services.shared().families().announce(agent, state.state(), state.reason()),
          "that it is " + state.state() + " is not known");
    }
    Optional<ResumptionCondition> over =
        before.suspension().filter(it -> changed).flatMap(Suspension::until);
    // The next suspension takes its place, and the agent's end takes it out.
    boolean replaced = terminal || state.suspension().flatMap(Suspension::until).isPresent();
    entered = !replaced && (entered || over.isPresent());
    boolean works = state.state() == AgentState.RUNNING || state.state() == AgentState.WAITING;
    long number = state.status().suspensions();
    if (entered && number > 0 && !(works && over.map(Resumptions::mayStay).orElse(true))) {
      entered = false;
      unlessFailing(
          services.shared().resumptions().leave(agent, number),
          "suspension " + number + " stays entered");
    }
  }

  private void unlessFailing(CompletionStage<?> stage, String otherwise) {
    stage.whenComplete((done, failure) -> {
      if (failure != null) {
        LOG.debug("agent {}: {}", agent, otherwise, failure);
      }
    });
  }

  /**
   * Lets the directory know of the agent's last revision; also of one that was made before the
   * agent was started here, since its node may have died before it said so.
   */
  void revision(AgentSnapshot state) {
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
            LogNames.of(agent)
                .run(() ->
                    LOG.error(
                        "what agent {} is by revision {} is not known; it is said again when it"
                            + " starts again: {}",
                        agent,
                        number,
                        Backoff.cause(failure).toString()));
          }
        });
  }

  /** Writes what is written again should the store lose it. */
  <T> CompletionStage<T> write(
      String what, CancellationToken token, Supplier<CompletionStage<T>> operation) {
    Backoff backoff = services.shared().backoff();
    return backoff
        .repeat(what, token::cancelled, operation)
        .thenApply(done -> {
          services.losses().written(what, () -> backoff.repeat(what, () -> false, operation));
          return done;
        });
  }

  /**
   * Has what is new in a state of its run written; returns at once.
   *
   * @param unfit why the agent cannot be built here; empty if it can
   * @return done when that and all before it is stored, or cannot be
   */
  CompletableFuture<Void> tell(AgentSnapshot state, Optional<String> unfit) {
    List<RunNotice> all = new ArrayList<>(RunNotice.of(agent, state));
    all.addAll(RunNotice.struggles(state, services.shared().limits(), services.now()));
    unfit.flatMap(why -> RunNotice.unfit(state, why, services.now())).ifPresent(all::add);
    if (all.isEmpty()) {
      return told;
    }
    RunId run = all.getFirst().request().runId();
    if (!head.equals(Optional.of(run))) {
      given.clear();
      head = Optional.of(run);
    }
    for (RunNotice notice : all) {
      RunNotice before = given.get(notice.name());
      if (before == null || notice.after(before.data())) {
        given.put(notice.name(), notice);
        told = told.thenCompose(done -> written(notice));
      }
    }
    return told;
  }

  private CompletionStage<Void> written(RunNotice notice) {
    Blackboard board =
        services
            .shared()
            .ports()
            .get(Blackboards.class)
            .open(agent.scope().namespace(notice.request().namespace()), agent.persistenceId());
    RunId run = notice.request().runId();
    String key = PROTOCOL.eventKey(run.value(), notice.name());
    Write write = Write.of(key, notice.data()).ttl(services.shared().keepProgress());
    return services
        .shared()
        .backoff()
        .repeat(
            "making known what run " + run + " waits for",
            () -> over,
            () ->
                board.transaction(tx ->
                    tx.read(key)
                        .thenCompose(last ->
                            last.isEmpty() || notice.after(last.get().value())
                                ? tx.write(write).thenApply(done -> true)
                                : CompletableFuture.completedStage(false))))
        .handle((written, failure) -> {
          if (failure == null && written) {
            notice.struggle().ifPresent(services.agents()::struggled);
          }
          if (failure != null && !over) {
            LogNames.of(agent, run)
                .run(() ->
                    LOG.warn(
                        "that run {} of {} has come to {} is not made known: {}",
                        run,
                        agent,
                        notice.name(),
                        Backoff.cause(failure).getMessage()));
          }
          return null;
        });
  }
}
