package dev.colony.library.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.Suspension.Approval;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionDescription.ActionGroup;
import dev.colony.agent.author.Agent.BackgroundProcess;
import dev.colony.library.policy.ActionCatalog.ActionNames;
import dev.colony.vcm.PageId;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * What a planner knows when it decides. Made with {@link #of}.
 *
 * @param role who the agent is and how it works; empty for nothing to say
 * @param input what else the run was given; an empty object for nothing
 * @param result JSON schema of what the run gives
 * @param pages that are shown, in the order in which they stand in the prompt
 * @param groups the actions that may be chosen
 * @param names what the model calls actions, those of the history included
 * @param history the run's actions so far, the oldest first; immutable, and not copied
 * @param reasons why an action was chosen, by its id; of the latest ones
 * @param nextActionId of the first action that is chosen now
 * @param streams the rendered consciousness streams, in the order in which they were declared
 * @param memories what comes to mind, a line each
 * @param variables that may be referred to by {@code $name}, by their names
 * @param news contexts of new events that no stream has taken
 * @param background the processes that run beside the agent's decisions
 * @param approvals what people have said to what the run asked for
 * @param left what is left of the run's time and budget, a line each; empty where nothing bounds it
 * @param problems what went wrong in the previous iteration, a line each
 * @param own the policy's own entries of this run, for layers of its own
 * @param policy the policy's own entries of the agent beyond this run, likewise
 */
public record PlanningContext(
    String role,
    List<String> goals,
    List<String> constraints,
    ObjectNode input,
    JsonNode result,
    List<PageId> pages,
    List<ActionGroup> groups,
    ActionNames names,
    List<ActionCall> history,
    Map<String, String> reasons,
    String nextActionId,
    List<RenderedStream> streams,
    List<String> memories,
    Map<String, JsonNode> variables,
    List<JsonNode> news,
    List<BackgroundProcess> background,
    List<Approval> approvals,
    List<String> left,
    List<String> problems,
    ObjectNode own,
    ObjectNode policy) {

  private static final int SOUGHT_CHARS = 4000;

  /** A stream's section as its formatter made it; an empty text stands for no section. */
  public record RenderedStream(String name, String text) {}

  public PlanningContext {
    Objects.requireNonNull(role, "role");
    Objects.requireNonNull(input, "input");
    Objects.requireNonNull(result, "result");
    Objects.requireNonNull(nextActionId, "nextActionId");
    Objects.requireNonNull(history, "history");
    goals = List.copyOf(goals);
    constraints = List.copyOf(constraints);
    pages = List.copyOf(pages);
    groups = List.copyOf(groups);
    reasons = Map.copyOf(reasons);
    streams = List.copyOf(streams);
    memories = List.copyOf(memories);
    news = List.copyOf(news);
    background = List.copyOf(background);
    approvals = List.copyOf(approvals);
    left = List.copyOf(left);
    problems = List.copyOf(problems);
  }

  /** What the agent is to reach, as one text by which actions are found. */
  public String sought() {
    return JsonPreview.cut(
        String.join(" ", goals) + " " + String.join(" ", constraints) + " " + input, SOUGHT_CHARS);
  }

  /** One that knows this and nothing else. */
  public static PlanningContext of(Consumer<Draft> known) {
    return new Draft().changed(known);
  }

  /** The same with other knowledge in place of some of its own. */
  public PlanningContext with(Consumer<Draft> known) {
    Draft same = new Draft();
    same.role = role;
    same.goals = goals;
    same.constraints = constraints;
    same.input = input;
    same.result = result;
    same.pages = pages;
    same.groups = groups;
    same.names = names;
    same.history = history;
    same.reasons = reasons;
    same.nextActionId = nextActionId;
    same.streams = streams;
    same.memories = memories;
    same.variables = variables;
    same.news = news;
    same.background = background;
    same.approvals = approvals;
    same.left = left;
    same.problems = problems;
    same.own = own;
    same.policy = policy;
    return same.changed(known);
  }

  public static final class Draft {

    public String role = "";
    public List<String> goals = List.of();
    public List<String> constraints = List.of();
    public ObjectNode input = JsonNodeFactory.instance.objectNode();
    public JsonNode result = JsonNodeFactory.instance.objectNode();
    public List<PageId> pages = List.of();
    public List<ActionGroup> groups = List.of();

    /** If null, the names of tools for the groups. */
    public ActionNames names;

    public List<ActionCall> history = List.of();
    public Map<String, String> reasons = Map.of();
    public String nextActionId = "a1";
    public List<RenderedStream> streams = List.of();
    public List<String> memories = List.of();
    public Map<String, JsonNode> variables = Map.of();
    public List<JsonNode> news = List.of();
    public List<BackgroundProcess> background = List.of();
    public List<Approval> approvals = List.of();
    public List<String> left = List.of();
    public List<String> problems = List.of();
    public ObjectNode own = JsonNodeFactory.instance.objectNode();
    public ObjectNode policy = JsonNodeFactory.instance.objectNode();

    private Draft() {}

    private PlanningContext changed(Consumer<Draft> known) {
      known.accept(this);
      return new PlanningContext(
          role,
          goals,
          constraints,
          input,
          result,
          pages,
          groups,
          names == null ? ActionTools.names(groups) : names,
          history,
          reasons,
          nextActionId,
          streams,
          memories,
          variables,
          news,
          background,
          approvals,
          left,
          problems,
          own,
          policy);
    }
  }
}
