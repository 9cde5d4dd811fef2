package dev.colony.testkit;

import com.typesafe.config.Config;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.HistoryPage.StateAt;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.client.directory.ChildRegistry;
import dev.colony.client.directory.ChildService;
import dev.colony.client.directory.ChildService.ChildrenSettings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.client.history.AgentHistory;
import dev.colony.client.history.AgentHistory.Replayed;
import dev.colony.client.session.BlackboardRunRecorder;
import dev.colony.client.session.BlackboardRunRecorder.SessionSettings;
import dev.colony.client.session.ResultPublisher;
import dev.colony.core.lifecycle.AgentCommand;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.core.lifecycle.AgentSnapshot;
import dev.colony.core.lifecycle.Effects;
import dev.colony.core.lifecycle.Effects.AgentEffect;
import dev.colony.core.lifecycle.EventReading;
import dev.colony.core.lifecycle.Intent;
import dev.colony.core.lifecycle.Lifecycle;
import dev.colony.core.lifecycle.RunLimits;
import dev.colony.core.lifecycle.StepRecords.Verdict;
import dev.colony.core.registry.AgentTypes;
import dev.colony.inference.InferenceGateway;
import dev.colony.node.AgentListener.StepListener;
import dev.colony.node.NodeBounds;
import dev.colony.node.NodePorts;
import dev.colony.node.activation.ActivationFactory;
import dev.colony.node.activation.CancellationToken;
import dev.colony.node.activation.StepRunner;
import dev.colony.node.entity.AgentSettings;
import dev.colony.node.entity.AgentShards;
import dev.colony.node.entity.ScopeEvents;
import dev.colony.node.resumption.BlackboardResumptions;
import dev.colony.node.resumption.Resumptions.CapacityQueue;
import dev.colony.node.resumption.Resumptions.Trigger;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * Does for one agent what its actor does on a node, on the caller's thread: delivers what is in its
 * inbox, has commands decided and journaled, and carries out the effects that follow.
 */
final class TestNode implements AutoCloseable {

  /** How long a step may take, by the clock of the machine. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final AgentId id;
  private final TestJournal journal;
  private final Blackboards blackboards;
  private final AgentDirectory directory;
  private final Colony colony;
  private final ActivationFactory.NodeServices services;
  private final ActivationFactory activations;
  private final Lifecycle lifecycle;
  private final ChildService families;
  private final BlackboardResumptions resumptions;
  private final ResultPublisher results;
  private final ScopeEvents events;
  private final RunLimits limits;
  private final HomeResolver homes;

  private final TestInbox inbox;

  private AgentSnapshot state = AgentSnapshot.UNBORN;
  private int incarnations;
  private Optional<Process> process = Optional.empty();

  TestNode(AgentId id, Config config, NodePorts given, AgentTypes types, TestJournal journal) {
    this.id = id;
    this.journal = journal;
    AgentSettings settings = Settings.read(AgentSettings.class, config);
    this.limits = RunLimits.fromConfig(config);
    this.homes = HomeResolver.byHash(settings.placementUnits());
    this.blackboards = given.get(Blackboards.class);
    this.directory = new AgentDirectory(blackboards);
    this.lifecycle = new Lifecycle(limits);
    this.colony =
        new BlackboardColony(
            blackboards,
            homes,
            Settings.read(ClientSettings.class, config),
            () -> new AgentHistory(journal.past(id), lifecycle));
    ChildrenSettings children = Settings.read(ChildrenSettings.class, config);
    this.families =
        new ChildService(blackboards, new ChildRegistry(blackboards, homes, children), colony);
    this.resumptions =
        new BlackboardResumptions(
            blackboards,
            NodeBounds.USUAL.resumption(),
            settings.resumption().earlySignals(),
            page -> false,
            CapacityQueue.WaitOrder.BY_AGE,
            blackboards.clock(),
            time -> {});
    BlackboardRunRecorder recorder =
        new BlackboardRunRecorder(
            blackboards, Settings.read(SessionSettings.class, config), blackboards.clock());
    this.results =
        new ResultPublisher(
            blackboards, recorder, settings.retention().runs(), blackboards.clock());
    this.events = new ScopeEvents(blackboards, directory, new EventReading());
    NodePorts ports = given.with(Colony.class, colony);
    this.services =
        AgentShards.services(
            settings,
            config,
            types,
            ports.find(InferenceGateway.class).isPresent()
                ? ports
                : ports.with(InferenceGateway.class, new NoModel()),
            families,
            recorder,
            resumptions,
            (origin, at) ->
                CompletableFuture.completedStage(new Replayed.Missing(new StateAt.Unknown(origin))),
            StepListener.NONE,
            task -> Thread.ofVirtual().name("test-agent-step").start(task));
    this.activations = new ActivationFactory(services);
    this.inbox =
        new TestInbox(id, blackboards, directory, resumptions, results, this::state, this::apply);
  }

  /** What comes of a step, on its way to the test's thread. */
  private sealed interface Report {

    record Ended(CancellationToken asked, AgentCommand command) implements Report {}

    record Record(CancellationToken asked, AgentCommand command, CompletableFuture<Void> durable)
        implements Report {}

    record Learned(boolean takesEvents) implements Report {}

    record Broken(VirtualMachineError error) implements Report {}
  }

  /** A process that has the agent in memory, from its recovery to its death. */
  private final class Process implements StepRunner.StepReports {

    private final LinkedBlockingQueue<Report> reports = new LinkedBlockingQueue<>();
    private final CancellationToken token = new CancellationToken();
    private final AgentBlueprint blueprint;
    private final StepRunner steps;
    private final Effects effects;
    private Optional<Boolean> takesEvents = Optional.empty();
    private boolean takesEventsAsked;

    Process(AgentBlueprint blueprint) {
      this.blueprint = blueprint;
      this.steps = activations.steps(id, blueprint, this);
      this.effects =
          new Effects(
              id,
              activations.patterns(id, blueprint, UnaryOperator.identity()),
              this::takesEvents,
              limits);
    }

    private Optional<Boolean> takesEvents() {
      takesEventsAsked |= takesEvents.isEmpty();
      return takesEvents;
    }

    @Override
    public void ended(CancellationToken asked, AgentCommand command) {
      reports.add(new Report.Ended(asked, command));
    }

    @Override
    public void record(
        CancellationToken asked, AgentCommand command, CompletableFuture<Void> durable) {
      reports.add(new Report.Record(asked, command, durable));
    }

    /** Nothing is done by time in a test: what is held back goes with what is journaled next. */
    @Override
    public Runnable later(Duration delay, Runnable task) {
      return () -> {};
    }

    @Override
    public void learned(boolean takes) {
      reports.add(new Report.Learned(takes));
    }

    @Override
    public void broken(VirtualMachineError error) {
      reports.add(new Report.Broken(error));
    }

    /** Does the next thing that the state calls for; false if there is none. */
    boolean act() {
      takesEventsAsked = false;
      AgentEffect next = effects.next(state, now());
      switch (next) {
        case AgentEffect.Nothing nothing -> {
          if (takesEventsAsked) {
            steps.learn(state.memory(), token);
            awaitReports(Report.Learned.class);
            return true;
          }
          return false;
        }
        case AgentEffect.IssueCommand issue -> apply(anchored(issue.command()));
        case AgentEffect.Iterate iterate -> {
          steps.iterate(iterate, state, CompletableFuture.completedFuture(null), false, token);
          awaitReports(Report.Ended.class);
        }
        case AgentEffect.FinishIntended finish -> {
          steps.finish(finish, state, CompletableFuture.completedFuture(null), token);
          awaitReports(Report.Ended.class);
        }
        case AgentEffect.Publish publish -> {
          Optional<Instant> accepted =
              state.queue().stream()
                  .filter(run -> run.runId().equals(publish.run().runId()))
                  .map(run -> run.acceptedAt())
                  .findFirst();
          now(results.publish(id, publish.request(), publish.run(), accepted));
          apply(new AgentCommand.ConfirmPublished(publish.run().runId(), now()));
        }
        case AgentEffect.WatchScopes watch -> apply(now(events.watch(id, watch)));
        case AgentEffect.ReadEvents read -> apply(now(events.read(id, read)));
        case AgentEffect.Announce announce -> {
          now(families.announce(id, announce.state(), state.reason()));
          now(resumptions.happened(new Trigger.AgentEnded(id)));
          apply(new AgentCommand.ConfirmAnnounced(announce.state(), now()));
        }
        case AgentEffect.EnterSuspension enter -> {
          now(resumptions.enter(id, enter.suspension()));
          apply(new AgentCommand.ConfirmSuspended(enter.suspension().number(), now()));
        }
        case AgentEffect.Rewind rewind ->
            throw new IllegalStateException("an agent under test is not rewound");
        case AgentEffect.MoveHome move -> {
          now(directory.move(id, move.unit(), state.incarnation()));
          apply(new AgentCommand.ConfirmRehomed(move.unit(), now()));
        }
      }
      return true;
    }

    /** Takes what comes of the agent's code until it is of this kind. */
    private void awaitReports(Class<? extends Report> last) {
      while (true) {
        Report report = take();
        switch (report) {
          case Report.Ended ended -> apply(ended.command());
          case Report.Record record -> record(record);
          case Report.Learned learned -> takesEvents = Optional.of(learned.takesEvents());
          case Report.Broken broken -> throw broken.error();
        }
        if (last.isInstance(report)) {
          return;
        }
      }
    }

    private Report take() {
      try {
        Report report = reports.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        if (report == null) {
          throw new AssertionError("a step of " + id + " has not ended within " + PATIENCE);
        }
        return report;
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted while a step of " + id + " was under way");
      }
    }

    private void record(Report.Record record) {
      switch (apply(record.command())) {
        case Verdict.Journal journaled -> record.durable().complete(null);
        case Verdict.Refused refused ->
            record.durable().completeExceptionally(new IllegalStateException(refused.reason()));
        case Verdict.Repeated repeated -> record.durable().complete(null);
        case Verdict.Busy busy ->
            record.durable().completeExceptionally(new IllegalStateException(busy.reason()));
      }
    }

    /** It is dead: what its threads still do is void. */
    void dies() {
      token.cancel();
      steps.rest();
    }
  }

  AgentId id() {
    return id;
  }

  Colony colony() {
    return colony;
  }

  AgentSnapshot state() {
    return state;
  }

  TestJournal journal() {
    return journal;
  }

  void spawn(AgentBlueprint blueprint) {
    colony.spawn(id, blueprint).join();
  }

  /**
   * Does what there is to do.
   *
   * @param oneStep whether to stop at the end of a step
   * @return whether a step has ended
   */
  boolean proceed(boolean oneStep) {
    boolean stepped = false;
    boolean more = true;
    while (more && !(oneStep && stepped)) {
      long before = journal.steps();
      try {
        more = recovered() | inbox.delivered() | revised() | process.orElseThrow().act();
      } catch (TestJournal.Killed killed) {
        crash();
      }
      stepped |= journal.steps() > before;
    }
    return stepped;
  }

  void crash() {
    process.ifPresent(Process::dies);
    process = Optional.empty();
  }

  /** Has a process that has claimed the agent, by its journal. */
  private boolean recovered() {
    if (process.isPresent()) {
      return false;
    }
    state = AgentSnapshot.UNBORN;
    journal.events().forEach(event -> state = lifecycle.apply(state, event));
    AgentBlueprint blueprint = now(directory.find(id)).orElseThrow().original();
    incarnations++;
    AgentCommand claim =
        new AgentCommand.Claim(
            state.blueprint().isPresent() ? Optional.empty() : Optional.of(blueprint),
            Optional.empty(),
            "test-" + incarnations,
            now());
    if (apply(claim) instanceof Verdict.Refused refused) {
      throw new AssertionError(id + " cannot be recovered: " + refused.reason());
    }
    process = Optional.of(new Process(state.blueprint().orElseThrow()));
    return true;
  }

  /** What was said before the run asks is no answer to that. */
  private AgentCommand anchored(AgentCommand command) {
    if (command instanceof AgentCommand.Apply apply
        && apply.intent() instanceof Intent.Suspend suspend
        && suspend.until().isPresent()) {
      return new AgentCommand.Apply(
          suspend.until(now(resumptions.anchored(id, suspend.until().get()))), apply.at());
    }
    return command;
  }

  /** Goes on by another blueprint, where the agent's was changed. */
  private boolean revised() {
    AgentBlueprint now = state.blueprint().orElseThrow();
    if (process.orElseThrow().blueprint.equals(now)) {
      return false;
    }
    crash();
    process = Optional.of(new Process(now));
    int number = state.revision().orElseThrow().number();
    now(directory.revise(id, now, number, state.incarnation()));
    return true;
  }

  private Verdict apply(AgentCommand command) {
    Verdict verdict = lifecycle.decide(state, command);
    if (verdict instanceof Verdict.Journal journaled) {
      AgentSnapshot before = state;
      for (AgentEvent event : journal.append(journaled.events())) {
        state = lifecycle.apply(state, event);
      }
      moved(before);
    }
    return verdict;
  }

  private void moved(AgentSnapshot before) {
    if (before.suspension().equals(state.suspension())) {
      return;
    }
    if (!state.state().terminal()) {
      now(families.announce(id, state.state(), state.reason()));
    }
    before
        .suspension()
        .filter(over -> over.until().isPresent())
        .ifPresent(over -> now(resumptions.leave(id, over.number())));
  }

  private Instant now() {
    return blackboards.clock().instant();
  }

  static <T> T now(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    } catch (CompletionException failed) {
      throw failed.getCause() instanceof RuntimeException known ? known : failed;
    }
  }

  @Override
  public void close() {
    crash();
  }
}
