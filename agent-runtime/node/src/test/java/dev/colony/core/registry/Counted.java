package dev.colony.core.registry;

import dev.colony.agent.Blueprint;
import dev.colony.agent.action.ActionType.Effect;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Param.Range;
import dev.colony.agent.author.Registered;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** A capability that counts how often it was made, with arguments of every kind. */
@Registered(value = "test.counted", version = 3, summary = "Counts.")
final class Counted extends AgentCapability {

  static final AtomicInteger MADE = new AtomicInteger();

  record Rules(
      @Param("which rules") String ruleset,
      @Range(min = 1, max = 100) int maxFindings,
      Optional<Effect> effect,
      Map<String, Double> weights,
      Set<String> tags,
      List<Blueprint> filters,
      long since) {

    static Rules of(String ruleset, int maxFindings) {
      return new Rules(ruleset, maxFindings, Optional.empty(), Map.of(), Set.of(), List.of(), 0);
    }

    Rules {
      if (ruleset.equals("forbidden")) {
        throw new IllegalArgumentException("the rule set forbidden is forbidden");
      }
    }
  }

  final Rules rules;

  Counted(CapabilityContext context, Rules rules) {
    super(context);
    MADE.incrementAndGet();
    this.rules = rules;
  }

  @ActionExecutor
  String check(String page) {
    return rules.ruleset() + " on " + page;
  }

  @ActionExecutor(key = "report_generate")
  String report() {
    return "report";
  }
}
