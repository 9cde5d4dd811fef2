package dev.colony.library.capability;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.EventBatch;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionContext;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionExecutor.IdempotencyKey;
import dev.colony.agent.author.Agent.WhileWaiting;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.EventHandler;
import dev.colony.agent.author.JsonValues;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.AgentHandle.AgentStatus;
import dev.colony.agent.client.Children;
import dev.colony.agent.client.RunHandle;
import dev.colony.blackboard.Await;
import dev.colony.blackboard.clock.Deadline;
import dev.colony.library.capability.DelegateCapability.ChildTasks;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ExecutionException;

/**
 * Lets a planner spawn children of the agent, give each a task, wait for them, answer what they ask
 * and stop them. What can be spawned is what the capability's arguments allow, by name: a planner,
 * and so a model, invents no blueprint.
 *
 * <p>A child's task is a run of it, in the namespace {@value #NAMESPACE}; which run that is, stands
 * on the blackboard before the run is asked for, and in the capability's snapshot. A child's name
 * begins with its parent's, so that planners of different agents may choose alike.
 *
 * <p>What a child asks of its supervisor is shown to the agent as an event under {@value
 * ChildQuestion#EVENT}, where the capability stands in the agent's own scope.
 */
@Registered(value = "agent.children", summary = "Agents that work for this one.")
public class ChildrenCapability extends AgentCapability {

  /** Where the tasks' requests, events and results stand, in the child's scope. */
  public static final String NAMESPACE = "task";

  private static final int LONGEST_WAIT_SECONDS = 3_500;
  private static final String UNDER_WAY = "UNDER_WAY";

  /** Conditions have a bounded number of parts, of which each awaited child takes three. */
  private static final int MOST_SUSPENDED_FOR = 80;

  private final Kinds kinds;
  private final ChildTasks tasks;

  /**
   * What may be spawned.
   *
   * @param kinds blueprints by the names that planners use, at least one
   */
  public record Kinds(Map<String, AgentBlueprint> kinds) {

    public Kinds {
      if (kinds == null || kinds.isEmpty()) {
        throw new IllegalArgumentException("an agent that may spawn nothing needs no children");
      }
      kinds = Map.copyOf(kinds);
    }
  }

  /**
   * What a child is to do, as the input of its run: the goal as {@code goals}, and the fields of an
   * input that is an object, or any other as the field {@code input}.
   */
  record Task(
      @Param("what it has to reach, in a sentence or two") String goal,
      @Param("what it needs to know for that, any JSON") Optional<JsonNode> input) {

    Task {
      // What is absent is read as JSON null.
      input = input.filter(given -> !given.isNull());
    }

    JsonNode runInput() {
      ObjectNode run = JsonNodeFactory.instance.objectNode();
      input.ifPresent(given -> {
        if (given.isObject()) {
          given.properties().forEach(one -> run.set(one.getKey(), one.getValue()));
        } else {
          run.set("input", given);
        }
      });
      return run.put("goals", goal);
    }
  }

  /** A child as a planner sees it; of the task, empty texts where it was given none. */
  record Seen(String name, AgentState state, String task, String error) {}

  /**
   * What became of a child's task, or of the child itself where it was given none.
   *
   * @param exported further results of the task, by name
   */
  record Outcome(
      String name,
      String status,
      JsonNode output,
      String error,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) Map<String, JsonNode> exported) {

    /** One without further results. */
    Outcome(String name, String status, JsonNode output, String error) {
      this(name, status, output, error, Map.of());
    }

    static Outcome of(AgentId child, AgentRun ended) {
      return new Outcome(
          child.name(),
          ended.status().name(),
          ended.output(),
          ended.error().orElse(""),
          ended.exported());
    }

    /** What a planner is told of it. */
    String line() {
      return "the task of %s is %s%s".formatted(name, status, error.isEmpty() ? "" : ": " + error);
    }
  }

  public ChildrenCapability(CapabilityContext context, Kinds kinds) {
    super(context);
    this.kinds = kinds;
    this.tasks = new ChildTasks(context.blackboard());
  }

  @Override
  public Optional<String> summary() {
    return Optional.of(
        "Agents that work for this one. Kinds that can be spawned: "
            + String.join(", ", new TreeSet<>(kinds.kinds().keySet())));
  }

  @ActionExecutor(
      key = "agent_spawn",
      summary =
          "Spawns an agent that works for this one, or finds it again by its name, and gives "
              + "it a task.",
      tags = "orchestration")
  Seen spawn(
      @Param("one of the kinds that can be spawned") String kind,
      @Param("names it among this agent's children, at most 64 of A-Z a-z 0-9 . _ ~ -")
          Optional<String> name,
      @Param("what it is to do; none for an agent that waits for events") Optional<Task> task,
      IdempotencyKey key)
      throws InterruptedException, ExecutionException {
    AgentBlueprint blueprint = kinds.kinds().get(kind);
    if (blueprint == null) {
      throw AgentException.refused(
          "there is no kind " + kind + ", only " + new TreeSet<>(kinds.kinds().keySet()));
    }
    UUID unique = UUID.nameUUIDFromBytes(key.value().getBytes(StandardCharsets.UTF_8));
    String child = prefix() + name.orElseGet(() -> kind + "-" + unique.toString().substring(0, 8));
    AgentHandle handle = agent().children().spawn(child, blueprint, Children.OnParentStop.STOP);
    if (task.isPresent()) {
      RunId run = new RunId("task-" + unique);
      boolean again = tasks.of(child).equals(Optional.of(run));
      if (!again
          && Await.result(handle.state()).filter(one -> one.state().terminal()).isPresent()) {
        throw AgentException.refused(child + " has ended: spawn one of another name");
      }
      tasks.give(child, run, task.get().goal());
      Await.result(handle.run(task.get().runInput(), options().runId(run)).stored());
    }
    return new Seen(child, AgentState.INITIALIZED, task.isPresent() ? "given" : "", "");
  }

  @ActionExecutor(
      key = "agent_monitor",
      summary =
          "Shows the agents that work for this one: their states, whether their tasks are "
              + "done.",
      tags = "orchestration")
  List<Seen> monitor() throws InterruptedException, ExecutionException {
    List<Seen> seen = new ArrayList<>();
    for (Children.Child child : agent().children().list()) {
      String name = child.id().name();
      Optional<AgentRun> ended = ended(child.id());
      seen.add(
          new Seen(
              name,
              child.state(),
              ended
                  .map(run -> run.status().name())
                  .orElse(tasks.of(name).isPresent() ? UNDER_WAY : ""),
              ended.flatMap(AgentRun::error).orElse(child.lastError())));
    }
    return seen;
  }

  @ActionExecutor(
      key = "agent_await",
      summary =
          "Waits until the tasks of these agents are done and gives what they came to and exported;"
              + " for an agent without a task, until it has stopped.",
      tags = "orchestration",
      timeout = "1h")
  ActionResult await(
      @Param("names of agents that work for this one; none for all of them") List<String> names,
      @Param("how long to wait at most, in seconds, 1 to 3500; 300 if absent")
          Optional<Integer> seconds,
      @Param(
              "true to be suspended meanwhile, however long it takes: the action is blocked, and "
                  + "awaited again in the same words it gives what they came to")
          Optional<Boolean> suspend,
      @Param("true to fail where one of them has not completed its task")
          Optional<Boolean> completed,
      ActionContext context)
      throws InterruptedException, ExecutionException {
    List<Outcome> outcomes;
    if (suspend.orElse(false)) {
      Awaited awaited = awaited(children(names));
      if (!awaited.open().isEmpty()) {
        return ActionResult.blocked(
            context.actionId(),
            "waits for " + String.join(", ", awaited.open().keySet()),
            awaited.until());
      }
      outcomes = awaited.ended();
    } else {
      List<String> open = children(names).stream().map(AgentId::name).toList();
      if (!open.isEmpty()) {
        // Who follows the run hears nothing else meanwhile.
        context.progress(0, "waits for " + String.join(", ", open));
      }
      outcomes = await(names, seconds);
    }
    List<String> failed =
        outcomes.stream()
            .filter(one -> !one.status().equals(AgentRun.Status.COMPLETED.name()))
            .map(Outcome::line)
            .toList();
    return completed.orElse(false) && !failed.isEmpty()
        ? ActionResult.failed(context.actionId(), String.join("; ", failed))
        : ActionResult.succeeded(context.actionId(), JsonValues.toJson(outcomes));
  }

  /**
   * What is known of children that are waited for.
   *
   * @param ended in the order in which they are waited for
   * @param open when the others are done, by their names
   */
  private record Awaited(List<Outcome> ended, Map<String, ResumptionCondition> open) {

    ResumptionCondition until() {
      return open.size() == 1
          ? open.values().iterator().next()
          : new ResumptionCondition.All(List.copyOf(open.values()));
    }
  }

  private Awaited awaited(List<AgentId> children) {
    if (children.size() > MOST_SUSPENDED_FOR) {
      throw AgentException.refused(
          "at most %d agents are waited for at once when suspended, not %d"
              .formatted(MOST_SUSPENDED_FOR, children.size()));
    }
    Awaited awaited = new Awaited(new ArrayList<>(), new LinkedHashMap<>());
    for (AgentId child : children) {
      Optional<RunId> task = tasks.of(child.name());
      Optional<AgentRun> ended = ended(child);
      Optional<AgentStatus> status =
          Await.result(agent().colony().agent(child).state()).filter(one -> one.state().terminal());
      if (ended.isPresent()) {
        awaited.ended().add(Outcome.of(child, ended.get()));
      } else if (status.isPresent()) {
        awaited
            .ended()
            .add(
                new Outcome(
                    child.name(),
                    status.get().state().name(),
                    null,
                    status.get().reason().orElse("")));
      } else {
        ResumptionCondition stopped = new ResumptionCondition.ChildrenCompleted(List.of(child));
        awaited
            .open()
            .put(child.name(), task.map(run -> ChildTasks.over(child, run)).orElse(stopped));
      }
    }
    return awaited;
  }

  /** Waits on this thread. */
  List<Outcome> await(List<String> names, Optional<Integer> seconds) throws InterruptedException {
    int longest = seconds.orElse(300);
    if (longest < 1 || longest > LONGEST_WAIT_SECONDS) {
      throw AgentException.refused("seconds must be 1 to 3500, but is " + longest);
    }
    Deadline deadline = Deadline.in(Duration.ofSeconds(longest));
    Map<AgentId, RunHandle> runs = new LinkedHashMap<>();
    List<AgentId> others = new ArrayList<>();
    for (AgentId child : children(names)) {
      Optional<RunId> task = tasks.of(child.name());
      if (task.isEmpty()) {
        others.add(child);
      } else {
        Duration rest = Duration.ofNanos(Math.max(1_000_000, deadline.left().toNanos()));
        runs.put(child, agent().colony().agent(child).attach(task.get(), options().timeout(rest)));
      }
    }
    List<Outcome> outcomes = new ArrayList<>();
    WhileWaiting waiting = agent().waiting();
    try {
      for (Map.Entry<AgentId, RunHandle> run : runs.entrySet()) {
        outcomes.add(outcome(run.getKey(), run.getValue()));
      }
    } finally {
      waiting.close();
    }
    Duration rest = deadline.left();
    for (Children.Child child : agent().children().await(Set.copyOf(others), rest)) {
      outcomes.add(new Outcome(child.id().name(), child.state().name(), null, child.lastError()));
    }
    return outcomes;
  }

  @ActionExecutor(
      key = "agent_terminate",
      summary = "Stops an agent that works for this one, and those that work for it.",
      tags = "orchestration")
  void terminate(@Param("its name") String name) {
    agent().children().cancel(children(List.of(name)).getFirst());
  }

  /** Shows the agent what a child has asked it. */
  @EventHandler(pattern = ChildQuestion.PREFIX + "*", contextKey = ChildQuestion.EVENT)
  ChildQuestion onQuestion(EventBatch.Event event) {
    return ChildQuestion.of(event);
  }

  @ActionExecutor(
      key = "agent_answer",
      summary = "Answers a question that an agent that works for this one has asked.",
      tags = "orchestration")
  void answer(
      @Param("its name") String name,
      @Param("the id of the question") String question,
      @Param("true for yes, false for no") boolean yes,
      @Param("what it is to know besides") Optional<String> note)
      throws InterruptedException, ExecutionException {
    AgentId child = children(List.of(name)).getFirst();
    ChildQuestion.answer(agent(), child, question, yes, note.orElse(""));
  }

  private static Outcome outcome(AgentId child, RunHandle run) throws InterruptedException {
    try {
      return Outcome.of(child, run.result().toCompletableFuture().get());
    } catch (ExecutionException failed) {
      return new Outcome(child.name(), UNDER_WAY, null, failed.getCause().getMessage());
    }
  }

  private Optional<AgentRun> ended(AgentId child) {
    return tasks.of(child.name()).flatMap(task -> ended(child, task));
  }

  private Optional<AgentRun> ended(AgentId child, RunId task) {
    return Await.result(agent().colony().agent(child).ended(task, options()));
  }

  /** As the result of the child's task has them, for as long as that is kept. */
  @Override
  public Optional<JsonNode> exportedBy(String child) {
    return exportedByTask(child).or(() -> exportedByTask(prefix() + child));
  }

  private Optional<JsonNode> exportedByTask(String child) {
    AgentId self = agent().id();
    return tasks
        .of(child)
        .flatMap(run -> ended(new AgentId(self.tenant(), self.colony(), child), run))
        .map(run -> JsonValues.toJson(run.exported()));
  }

  /** The children of these names, which may leave out what all children's names begin with. */
  private List<AgentId> children(List<String> names) {
    Map<String, AgentId> known = new LinkedHashMap<>();
    agent().children().list().forEach(child -> known.put(child.id().name(), child.id()));
    if (names.isEmpty()) {
      return List.copyOf(known.values());
    }
    return names.stream()
        .map(name ->
            Optional.ofNullable(known.get(name))
                .or(() -> Optional.ofNullable(known.get(prefix() + name)))
                .orElseThrow(() ->
                    AgentException.refused(
                        "no agent " + name + " works for this one, only " + known.keySet())))
        .toList();
  }

  private String prefix() {
    return agent().id().name() + ".";
  }

  private RunOptions options() {
    return RunOptions.namespace(NAMESPACE).requestedBy(agent().id().persistenceId());
  }

  @Override
  public JsonNode snapshot() {
    return tasks.snapshot();
  }

  @Override
  public void restore(JsonNode snapshot) {
    tasks.restore(snapshot);
  }
}
