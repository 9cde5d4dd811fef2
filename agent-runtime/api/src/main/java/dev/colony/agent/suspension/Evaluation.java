package dev.colony.agent.suspension;

/** Whether a condition holds. More facts never make one that holds cease to. */
public final class Evaluation {

  private Evaluation() {}

  /** Time proportional to the parts of the condition, and what they list, at most. */
  public static boolean holds(ResumptionCondition condition, ConditionFacts facts) {
    return switch (condition) {
      case ResumptionCondition.All all -> all.of().stream().allMatch(part -> holds(part, facts));
      case ResumptionCondition.AnyOf any -> any.of().stream().anyMatch(part -> holds(part, facts));
      case ResumptionCondition.ChildrenCompleted children ->
          children.agents().stream().allMatch(facts::ended);
      case ResumptionCondition.PagesAvailable pages ->
          pages.pages().stream().allMatch(facts::resident);
      case ResumptionCondition.ResourceAvailable room -> facts.room();
      case ResumptionCondition.Immediate now -> true;
      case ResumptionCondition.At at -> !facts.now().isBefore(at.time()) || facts.come(at);
      case ResumptionCondition.Custom custom -> facts.come(custom);
      case ResumptionCondition.Event event -> facts.come(event);
      case ResumptionCondition.Approved approved -> facts.come(approved);
    };
  }
}
