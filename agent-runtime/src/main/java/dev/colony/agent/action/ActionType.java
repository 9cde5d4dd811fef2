package dev.colony.agent.action;

/** The taxonomy of actions. Source: the seed's table. Keys of one's own are as good. */
public enum ActionType {
  PLAN_CREATE(Category.PLANNING),
  PLAN_REVISE(Category.PLANNING),
  PLAN_BACKTRACK(Category.PLANNING),
  ANALYZE(Category.REASONING),
  HYPOTHESIS_TEST(Category.REASONING),
  DECISION_MAKE(Category.REASONING),
  TOOL_DISCOVER(Category.TOOLS),
  TOOL_USE(Category.TOOLS),
  TOOL_FIX(Category.TOOLS),
  TOOL_CREATE(Category.TOOLS),
  CONTEXT_FETCH(Category.CONTEXT),
  CONTEXT_COMPACT(Category.CONTEXT),
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

  private final Category category;

  ActionType(Category category) {
    this.category = category;
  }

  public Category category() {
    return category;
  }
}
