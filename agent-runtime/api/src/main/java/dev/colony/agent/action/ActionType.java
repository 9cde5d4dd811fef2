package dev.colony.agent.action;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The taxonomy of actions: of each type there is an action in the library. Keys of one's own are as
 * good. Source: the seed's table, without what no action stands for.
 */
public enum ActionType {
  PLAN_CREATE(Category.PLANNING),
  PLAN_REVISE(Category.PLANNING),
  PLAN_BACKTRACK(Category.PLANNING),
  ANALYZE(Category.REASONING),
  HYPOTHESIS_TEST(Category.REASONING),
  DECISION_MAKE(Category.REASONING),
  TOOL_DISCOVER(Category.TOOLS),
  TOOL_USE(Category.TOOLS),
  CONTEXT_FETCH(Category.CONTEXT),
  CONTEXT_SUMMARIZE(Category.CONTEXT),
  MESSAGE_SEND(Category.COMMUNICATION),
  MESSAGE_RECEIVE(Category.COMMUNICATION),
  NEGOTIATE(Category.COMMUNICATION),
  MEMORY_SEARCH(Category.MEMORY),
  MEMORY_READ(Category.MEMORY),
  MEMORY_WRITE(Category.MEMORY),
  AGENT_SPAWN(Category.ORCHESTRATION),
  AGENT_TERMINATE(Category.ORCHESTRATION),
  AGENT_MONITOR(Category.ORCHESTRATION),
  OUTPUT_WRITE(Category.OUTPUT),
  OUTPUT_FORMAT(Category.OUTPUT),
  REPORT_GENERATE(Category.OUTPUT),
  /** Any action with a key of its own. */
  CUSTOM(Category.CUSTOM);

  /** What actions of a kind have in common. */
  public enum Category {
    PLANNING,
    REASONING,
    TOOLS,
    CONTEXT,
    COMMUNICATION,
    MEMORY,
    ORCHESTRATION,
    OUTPUT,
    CUSTOM
  }

  private static final Map<String, ActionType> BY_KEY =
      Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(ActionType::key, type -> type));

  private final Category category;

  ActionType(Category category) {
    this.category = category;
  }

  /** What an action of a key is: the type whose name it is in lower case, or {@link #CUSTOM}. */
  public static ActionType of(String key) {
    return BY_KEY.getOrDefault(key, CUSTOM);
  }

  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  public Category category() {
    return category;
  }

  /** Where an action's effect ends. */
  public enum Effect {
    /** Safe to repeat under its idempotency key: reads, and writes to the blackboard. */
    INTERNAL,
    /** Reaches the world outside: its intent is journaled before it starts. */
    EXTERNAL
  }
}
