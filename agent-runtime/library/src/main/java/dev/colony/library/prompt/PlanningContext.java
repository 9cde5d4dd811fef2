package dev.colony.library.prompt;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.action.ActionCall;
import dev.colony.agent.action.ActionGroup;
import dev.colony.agent.author.Agent.BackgroundProcess;
import dev.colony.agent.suspension.Approval;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What a planner knows when it decides.
 *
 * @param role who the agent is and how it works; empty for nothing to say
 * @param input what else the run was given; an empty object for nothing
 * @param streams the rendered consciousness streams, in the order in which they were declared
 * @param news contexts of new events that no stream has taken
 * @param background the processes that run beside the agent's decisions
 * @param groups the actions that may be chosen
 * @param history the run's actions so far, the oldest first; immutable, and not copied
 * @param approvals what people have said to what the run asked for
 * @param problem what went wrong in the previous iteration
 */
public record PlanningContext(
    String role,
    List<String> goals,
    List<String> constraints,
    JsonNode input,
    List<RenderedStream> streams,
    List<JsonNode> news,
    List<BackgroundProcess> background,
    List<ActionGroup> groups,
    List<ActionCall> history,
    List<Approval> approvals,
    Optional<String> problem) {

  /** A stream's section as its formatter made it; an empty text stands for no section. */
  public record RenderedStream(String name, String text) {}

  public PlanningContext {
    Objects.requireNonNull(role, "role");
    Objects.requireNonNull(input, "input");
    Objects.requireNonNull(problem, "problem");
    goals = List.copyOf(goals);
    constraints = List.copyOf(constraints);
    streams = List.copyOf(streams);
    news = List.copyOf(news);
    background = List.copyOf(background);
    groups = List.copyOf(groups);
    Objects.requireNonNull(history, "history");
    approvals = List.copyOf(approvals);
  }
}
