package dev.colony.library.prompt;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.action.ActionCall;
import dev.colony.agent.action.ActionGroup;
import dev.colony.agent.author.Agent.BackgroundProcess;
import dev.colony.agent.suspension.Approval;
import dev.colony.vcm.PageId;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What a planner knows when it decides. Made with {@link #builder}.
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

  /** One that knows nothing. */
  public static Builder builder() {
    return new Builder();
  }

  /** One that knows the same, to be added to. */
  public Builder toBuilder() {
    Builder same = new Builder();
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
    return same;
  }

  /** Collects what a planner knows. Not thread-safe. */
  public static final class Builder {

    private String role = "";
    private List<String> goals = List.of();
    private List<String> constraints = List.of();
    private ObjectNode input = JsonNodeFactory.instance.objectNode();
    private JsonNode result = JsonNodeFactory.instance.objectNode();
    private List<PageId> pages = List.of();
    private List<ActionGroup> groups = List.of();
    private ActionNames names;
    private List<ActionCall> history = List.of();
    private Map<String, String> reasons = Map.of();
    private String nextActionId = "a1";
    private List<RenderedStream> streams = List.of();
    private List<String> memories = List.of();
    private Map<String, JsonNode> variables = Map.of();
    private List<JsonNode> news = List.of();
    private List<BackgroundProcess> background = List.of();
    private List<Approval> approvals = List.of();
    private List<String> left = List.of();
    private List<String> problems = List.of();
    private ObjectNode own = JsonNodeFactory.instance.objectNode();
    private ObjectNode policy = JsonNodeFactory.instance.objectNode();

    private Builder() {}

    public Builder role(String text) {
      role = text;
      return this;
    }

    public Builder goals(List<String> all) {
      goals = all;
      return this;
    }

    public Builder constraints(List<String> all) {
      constraints = all;
      return this;
    }

    public Builder input(ObjectNode given) {
      input = given;
      return this;
    }

    public Builder result(JsonNode schema) {
      result = schema;
      return this;
    }

    public Builder pages(List<PageId> all) {
      pages = all;
      return this;
    }

    public Builder groups(List<ActionGroup> all) {
      groups = all;
      return this;
    }

    /** Without it the names of tools for the groups. */
    public Builder names(ActionNames all) {
      names = all;
      return this;
    }

    public Builder history(List<ActionCall> all) {
      history = all;
      return this;
    }

    public Builder reasons(Map<String, String> byActionId) {
      reasons = byActionId;
      return this;
    }

    public Builder nextActionId(String id) {
      nextActionId = id;
      return this;
    }

    public Builder streams(List<RenderedStream> all) {
      streams = all;
      return this;
    }

    public Builder memories(List<String> lines) {
      memories = lines;
      return this;
    }

    public Builder variables(Map<String, JsonNode> byName) {
      variables = byName;
      return this;
    }

    public Builder news(List<JsonNode> all) {
      news = all;
      return this;
    }

    public Builder background(List<BackgroundProcess> all) {
      background = all;
      return this;
    }

    public Builder approvals(List<Approval> all) {
      approvals = all;
      return this;
    }

    public Builder left(List<String> lines) {
      left = lines;
      return this;
    }

    public Builder problems(List<String> lines) {
      problems = lines;
      return this;
    }

    public Builder own(ObjectNode entries) {
      own = entries;
      return this;
    }

    public Builder policy(ObjectNode entries) {
      policy = entries;
      return this;
    }

    public PlanningContext build() {
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
