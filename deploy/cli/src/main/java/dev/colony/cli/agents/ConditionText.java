package dev.colony.cli.agents;

import dev.colony.agent.suspension.ResumptionCondition;
import java.util.List;
import java.util.stream.Collectors;

/** What a suspended agent waits for, in words. */
final class ConditionText {

  /** Names of agents or pages that are spelled out. */
  private static final int MOST = 5;

  private ConditionText() {}

  /** Fits behind "until". */
  static String of(ResumptionCondition condition) {
    return switch (condition) {
      case ResumptionCondition.ChildrenCompleted children ->
          some(children.agents(), "agents") + " have ended";
      case ResumptionCondition.ResourceAvailable room -> "a node has room";
      case ResumptionCondition.PagesAvailable pages ->
          some(pages.pages(), "pages") + " are in a cache";
      case ResumptionCondition.Immediate now -> "at once";
      case ResumptionCondition.Custom custom -> "the signal " + custom.key();
      case ResumptionCondition.At at -> at.time().toString();
      case ResumptionCondition.Event event ->
          "a write to %s in %s".formatted(event.pattern().pattern(), event.scope());
      case ResumptionCondition.Approved approved -> "an answer to " + approved.request();
      case ResumptionCondition.All all -> joined(all.of(), " and ");
      case ResumptionCondition.AnyOf any -> joined(any.of(), " or ");
    };
  }

  private static String joined(List<ResumptionCondition> parts, String by) {
    return parts.stream()
        .map(part -> part.parts().size() > 1 ? "(" + of(part) + ")" : of(part))
        .collect(Collectors.joining(by));
  }

  private static String some(List<?> names, String what) {
    return names.size() > MOST
        ? "%,d %s".formatted(names.size(), what)
        : names.stream().map(Object::toString).collect(Collectors.joining(", "));
  }
}
