package dev.colony.library.capability;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionContext;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.Agent;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.AgentHandle.AgentStatus;
import dev.colony.agent.client.Children;
import dev.colony.blackboard.Await;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.blackboard.protocol.KeyGlob;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;

/**
 * Hands a task to an agent that is made for it and waits for what it comes to, durably: while the
 * worker is at it, the run that has delegated is suspended and takes no memory. The worker has a
 * budget and a journal of its own, and is stopped when its result is taken.
 *
 * <p>A task that is delegated again in the same words within a run is the same task, so that a
 * planner learns the result by delegating once more. What can be delegated to is what the
 * capability's arguments say, by name.
 */
@Registered(value = "agent.delegate", summary = "Agents that take over a task and give its result.")
public final class DelegateCapability extends AgentCapability {

  private final Workers workers;

  /**
   * What may be delegated to.
   *
   * @param workers blueprints by the names that planners use, at least one
   */
  public record Workers(Map<String, AgentBlueprint> workers) {

    public Workers {
      if (workers == null || workers.isEmpty()) {
        throw new IllegalArgumentException("an agent that may delegate to none delegates nothing");
      }
      workers = Map.copyOf(workers);
    }
  }

  public DelegateCapability(CapabilityContext context, Workers workers) {
    super(context);
    this.workers = workers;
  }

  @Override
  public Optional<String> summary() {
    return Optional.of(
        "Agents that take over a task and give its result. Workers: "
            + String.join(", ", new TreeSet<>(workers.workers().keySet())));
  }

  @ActionExecutor(
      key = "delegate",
      summary =
          "Hands a task to a worker, an agent made for it, and waits for its result. While there is"
              + " none the action is blocked; delegate again in the same words to have the result.",
      tags = "orchestration",
      writes = "delegated",
      timeout = "2m")
  ActionResult delegate(
      @Param("one of the workers") String to,
      @Param("what it is to do: text, or any JSON") JsonNode task,
      ActionContext context)
      throws InterruptedException, ExecutionException {
    AgentBlueprint blueprint = workers.workers().get(to);
    if (blueprint == null) {
      throw AgentException.refused(
          "there is no worker " + to + ", only " + new TreeSet<>(workers.workers().keySet()));
    }
    return handOver(agent(), to, blueprint, task, context);
  }

  /**
   * Has a child that is made for it do a task, and gives what it came to; blocked while it is at
   * it. Of the same task in the same run there is one child.
   *
   * @param to names the child, with what is unique to the task behind it
   */
  static ActionResult handOver(
      Agent agent, String to, AgentBlueprint blueprint, JsonNode task, ActionContext context)
      throws InterruptedException, ExecutionException {
    String words = context.request().runId() + "/delegate/" + to + "/" + task;
    UUID unique = UUID.nameUUIDFromBytes(words.getBytes(StandardCharsets.UTF_8));
    AgentId self = agent.id();
    AgentId worker =
        new AgentId(self.tenant(), self.colony(), self.name() + "." + to + "-" + unique);
    RunId run = new RunId("task-" + unique);
    AgentHandle handle = agent.colony().agent(worker);
    Optional<AgentRun> ended = handle.ended(run, options(agent)).get();
    if (ended.isPresent()) {
      handle.stop("its result is taken by " + self).get();
      return result(context, ended.get());
    }
    Optional<AgentStatus> status = handle.state().get();
    if (status.filter(one -> one.state().terminal()).isPresent()) {
      throw AgentException.refused(
          "worker %s has ended without a result%s"
              .formatted(
                  worker.name(), status.flatMap(AgentStatus::reason).map(": "::concat).orElse("")));
    }
    agent
        .children()
        .spawn(worker.name(), blueprint, Children.OnParentStop.STOP)
        .run(task, options(agent).runId(run))
        .stored()
        .get();
    return ActionResult.blocked(
        context.actionId(), worker.name() + " is at work", ChildTasks.over(worker, run));
  }

  private static ActionResult result(ActionContext context, AgentRun ended) {
    return ended.status() == AgentRun.Status.COMPLETED
        ? ActionResult.succeeded(context.actionId(), ended.output())
        : ActionResult.failed(
            context.actionId(),
            "the worker's run is " + ended.status() + ended.error().map(": "::concat).orElse(""));
  }

  private static RunOptions options(Agent agent) {
    return RunOptions.namespace(ChildrenCapability.NAMESPACE)
        .requestedBy(agent.id().persistenceId());
  }

  /**
   * Which run is the task of each child: the entry {@code task:CHILD} of the parent, written before
   * the run is asked for, so that the task is found whatever the parent's node remembers. Blocks;
   * thread-safe.
   */
  static final class ChildTasks {

    private static final String PREFIX = "task:";
    private static final AgentRunProtocol PROTOCOL = new AgentRunProtocol();

    private final Blackboard board;

    /** Those of which an entry was written or read. */
    private final Map<String, RunId> known = new ConcurrentHashMap<>();

    ChildTasks(Blackboard board) {
      this.board = board;
    }

    /** A run is the child's task from now on, in place of the one before. */
    void give(String child, RunId run, String goal) {
      ObjectNode task =
          JsonNodeFactory.instance.objectNode().put("run", run.value()).put("goal", goal);
      await(board.write(Write.of(PREFIX + child, task)));
      known.put(child, run);
    }

    /** Empty for a child that was given none. */
    Optional<RunId> of(String child) {
      RunId here = known.get(child);
      if (here != null) {
        return Optional.of(here);
      }
      Optional<RunId> stored =
          await(board.read(PREFIX + child))
              .map(Entry::value)
              .map(task -> new RunId(task.path("run").asText()));
      stored.ifPresent(run -> known.put(child, run));
      return stored;
    }

    /** That the task has a result, or the child has ended without one. */
    static ResumptionCondition over(AgentId child, RunId task) {
      return ResumptionCondition.any(
          new ResumptionCondition.Event(
              child.scope().namespace(ChildrenCapability.NAMESPACE),
              new KeyGlob(PROTOCOL.resultKey(task.value())),
              Optional.of(Position.BEGINNING)),
          new ResumptionCondition.ChildrenCompleted(List.of(child)));
    }

    JsonNode snapshot() {
      ObjectNode json = JsonNodeFactory.instance.objectNode();
      known.forEach((child, run) -> json.put(child, run.value()));
      return json.isEmpty() ? JsonNodeFactory.instance.nullNode() : json;
    }

    void restore(JsonNode snapshot) {
      snapshot
          .properties()
          .forEach(one -> known.put(one.getKey(), new RunId(one.getValue().asText())));
    }

    private static <T> T await(CompletionStage<T> stage) {
      try {
        return Await.result(stage);
      } catch (RuntimeException failure) {
        throw new AgentException(
            "the tasks of the children: " + failure.getMessage(), failure, true);
      }
    }
  }
}
