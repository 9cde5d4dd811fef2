package dev.colony.agent;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * That a run has difficulties. The runtime makes each known among the run's events, under the name
 * of its kind; see {@link RunProgress}.
 */
public sealed interface Struggle {

  /** What the difficulty is. */
  enum Kind {
    /** The same action has failed several times in a row. */
    REPEATED_FAILURE,
    /** The run comes near to a bound of its budget. */
    LIMIT_NEAR,
    /** The run has waited for other agents for so long that its own left memory. */
    DEPENDENCY_STUCK,
    /** Several actions in a row have failed or come to the same again. */
    NO_PROGRESS;

    /** The name of the run's event, such as {@code limit-near}. */
    public String event() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether that is the name of the event of a kind. */
    public static boolean named(String event) {
      return List.of(values()).stream().anyMatch(kind -> kind.event().equals(event));
    }
  }

  /**
   * @param action its key
   * @param times at least 3
   * @param error of the last time, one line; may be empty
   */
  record RepeatedFailure(String action, int times, String error) implements Struggle {}

  /**
   * @param bound as {@link RunBudget#near} says it
   */
  record LimitNear(String bound) implements Struggle {}

  /**
   * @param agents that the run waits for
   */
  record DependencyStuck(List<AgentId> agents) implements Struggle {
    public DependencyStuck {
      agents = List.copyOf(agents);
    }
  }

  /**
   * @param actions how many, at least 8
   */
  record NoProgress(int actions) implements Struggle {}

  default Kind kind() {
    return switch (this) {
      case RepeatedFailure failure -> Kind.REPEATED_FAILURE;
      case LimitNear near -> Kind.LIMIT_NEAR;
      case DependencyStuck stuck -> Kind.DEPENDENCY_STUCK;
      case NoProgress none -> Kind.NO_PROGRESS;
    };
  }

  /** One line for people. */
  default String reason() {
    return switch (this) {
      case RepeatedFailure failure ->
          "%s failed %d times in a row%s"
              .formatted(
                  failure.action,
                  failure.times,
                  failure.error.isEmpty() ? "" : ": " + failure.error);
      case LimitNear near -> "the run comes near to its bound of " + near.bound;
      case DependencyStuck stuck ->
          "the run waits for long for "
              + stuck.agents.stream().map(AgentId::toString).collect(Collectors.joining(", "));
      case NoProgress none ->
          "%d actions in a row failed or came to the same".formatted(none.actions);
    };
  }

  /** The data of its event: {@code reason} and the components of the record. */
  default ObjectNode toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode().put("reason", reason());
    switch (this) {
      case RepeatedFailure failure ->
          json.put("action", failure.action)
              .put("times", failure.times)
              .put("error", failure.error);
      case LimitNear near -> json.put("bound", near.bound);
      case DependencyStuck stuck ->
          stuck.agents.stream().map(AgentId::persistenceId).forEach(json.putArray("agents")::add);
      case NoProgress none -> json.put("actions", none.actions);
    }
    return json;
  }
}
