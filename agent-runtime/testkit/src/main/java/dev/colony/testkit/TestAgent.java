package dev.colony.testkit;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.HistoryPage.HistoryEntry;
import dev.colony.agent.client.StepView;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.client.history.AgentHistory;
import dev.colony.core.lifecycle.AgentSnapshot;
import dev.colony.core.lifecycle.RunQueue.QueuedRun;
import dev.colony.core.registry.AgentTypes;
import dev.colony.inference.InferenceGateway;
import dev.colony.node.NodePorts;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An agent that a test drives, without a node: its policy and its capabilities are made of its
 * blueprint, and what is decided about it, what is journaled and in which order are decided by the
 * code that decides on a node. In memory and synchronous: nothing happens but within a call, except
 * what the agent's own code does on threads of its own. Not thread-safe.
 *
 * <pre>{@code
 * try (FakeModel model = FakeModel.start();
 *     TestAgent agent = TestAgent.of(blueprint).model(model).start()) {
 *   model.expect("bow").act("docs.glossary.look_up", Map.of("term", "bow"));
 *   model.expect("the front").complete("the front of a ship");
 *   AgentRun run = agent.run(Map.of("term", "bow"));
 *   agent.steps().assertActions("docs.glossary.look_up");
 * }
 * }</pre>
 *
 * <p>What differs from a node: one agent at a time, so that children are entered and never run;
 * actions that are approved, signals and writes take effect with the next {@link #settle}; the
 * agent always has its slot; the journal is in memory, though each event is written and read back
 * in its stored form; no snapshots, so that a recovery reads all of it.
 */
public final class TestAgent implements AutoCloseable {

  /** In which its runs are asked for. */
  public static final String NAMESPACE = "test";

  private static final AgentId ID = new AgentId("test", "test", "agent");

  private final TestNode node;
  private final VirtualTime time;
  private final Blackboards blackboards;
  private int runs;

  private TestAgent(TestNode node, VirtualTime time, Blackboards blackboards) {
    this.node = node;
    this.time = time;
    this.blackboards = blackboards;
  }

  /** An agent of this blueprint, to be started. */
  public static Builder of(AgentBlueprint blueprint) {
    return new Builder(blueprint);
  }

  /** What a test agent is made of. */
  public static final class Builder {

    private final AgentBlueprint blueprint;
    private final List<TypeProvider> types = new ArrayList<>();
    private AgentId id = ID;
    private NodePorts services = NodePorts.none();
    private String settings = "";
    private VirtualTime time = new VirtualTime();
    private KillPoint kill = KillPoint.never();
    private boolean only;

    private Builder(AgentBlueprint blueprint) {
      this.blueprint = blueprint;
    }

    /** Names it; by default {@code test/test/agent}. */
    public Builder id(AgentId other) {
      id = other;
      return this;
    }

    /** Has these types known besides those that are installed on the class path. */
    public Builder types(TypeProvider... more) {
      types.addAll(List.of(more));
      return this;
    }

    /** Has these types known, and no others. */
    public Builder onlyTypes(TypeProvider... all) {
      only = true;
      return types(all);
    }

    /** Has the agent ask this model. Without a model its calls fail. */
    public Builder model(FakeModel model) {
      return service(InferenceGateway.class, model.gateway());
    }

    /** Has the agent find a service by its port, as {@code Agent.service} gives it. */
    public <T> Builder service(Class<T> port, T service) {
      services = services.with(port, service);
      return this;
    }

    /** Settings in place of those of the class path, in HOCON. */
    public Builder settings(String hocon) {
      settings = hocon;
      return this;
    }

    /** Goes by this time. */
    public Builder time(VirtualTime other) {
      time = other;
      return this;
    }

    /** Has the process die there; the next one goes on at once. */
    public Builder killed(KillPoint point) {
      kill = point;
      return this;
    }

    /**
     * Spawns the agent and starts it.
     *
     * @throws dev.colony.agent.AgentException if the blueprint cannot be resolved
     */
    public TestAgent start() {
      Config config = ConfigFactory.parseString(settings).withFallback(ConfigFactory.load());
      InMemoryBlackboards boards =
          new InMemoryBlackboards(BlackboardSettings.fromConfig(config), time);
      AgentTypes all = TestColony.types(types, only);
      all.check(blueprint);
      TestNode node =
          new TestNode(
              id, config, services.with(Blackboards.class, boards), all, new TestJournal(kill));
      node.spawn(blueprint);
      TestAgent agent = new TestAgent(node, time, boards);
      agent.settle();
      return agent;
    }
  }

  /** Asks for a run and has it done to its end; see {@link #ask}. */
  public AgentRun run(Object input) {
    RunId run = ask(input);
    settle();
    return result(run)
        .orElseThrow(() ->
            new AssertionError(
                "run "
                    + run
                    + " has not ended: the agent is "
                    + state()
                    + node.state().reason().map(why -> ", " + why).orElse("")
                    + waits()));
  }

  private String waits() {
    return node.state()
        .active()
        .flatMap(run -> run.blocked())
        .map(blocked -> ", " + blocked.reason())
        .orElse("");
  }

  /**
   * Asks for a run, which {@link #step} and {@link #settle} do; the runs of an agent are {@code
   * r1}, {@code r2} and so on.
   *
   * @param input as {@link AgentHandle#run} takes it
   */
  public RunId ask(Object input) {
    runs++;
    RunId run = new RunId("r" + runs);
    handle().run(input, RunOptions.namespace(NAMESPACE).runId(run)).stored().join();
    return run;
  }

  /**
   * Does what there is to do up to the end of one step.
   *
   * @return whether there was a step
   */
  public boolean step() {
    return node.proceed(true);
  }

  /** Does all that there is to do: takes what the agent was sent, steps, and publishes results. */
  public void settle() {
    node.proceed(false);
  }

  /** Lets time pass and does what is due by then. */
  public void advance(Duration by) {
    time.advance(by);
    settle();
  }

  /** Has the process die, and the next one recover the agent from its journal and go on. */
  public void crash() {
    node.crash();
    settle();
  }

  /** The end of a run; empty as long as it has none. */
  public Optional<AgentRun> result(RunId run) {
    return handle().ended(run, RunOptions.namespace(NAMESPACE)).join();
  }

  /**
   * The agent as its callers see it: what it is told takes effect with the next {@link #settle}.
   */
  public AgentHandle handle() {
    return node.colony().agent(node.id());
  }

  /** The way to other agents, which do not run here. */
  public Colony colony() {
    return node.colony();
  }

  public AgentState state() {
    return node.state().state();
  }

  /** The agent's own part of the blackboard, written to as another writer. */
  public Blackboard blackboard() {
    return blackboard(node.id().scope());
  }

  /** A part of the blackboard, written to as another writer: it may wake the agent. */
  public Blackboard blackboard(Scope scope) {
    return blackboards.open(scope, "test");
  }

  /** What befell the agent, by its journal. */
  public List<HistoryEntry> history() {
    AgentSnapshot now = node.state();
    return AgentHistory.entries(
        node.journal().numbered(), now.queue().stream().findFirst().map(QueuedRun::runId));
  }

  /** The steps of all its runs. */
  public Steps steps() {
    return new Steps(
        history().stream().filter(StepView.class::isInstance).map(StepView.class::cast).toList());
  }

  /** The steps of one run. */
  public Steps steps(RunId run) {
    return new Steps(
        steps().all().stream().filter(step -> step.run().equals(Optional.of(run))).toList());
  }

  /** The names of all that is journaled, in order, as in {@code run-accepted}. */
  public List<String> journal() {
    return node.journal().names();
  }

  @Override
  public void close() {
    node.close();
    blackboards.close();
  }
}
