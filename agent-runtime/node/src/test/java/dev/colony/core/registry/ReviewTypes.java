package dev.colony.core.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionType.Effect;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionExecutor.IdempotencyKey;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Param.Range;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import java.util.List;
import java.util.Optional;

// guide: provider
/** Named in META-INF/services/dev.colony.agent.author.TypeProvider. */
public final class ReviewTypes implements TypeProvider {

  @Override
  public void register(Types types) {
    types.add(ComplianceCapability.class, ComplianceCapability::upcast);
    types.add(ReviewPolicy.class);
  }

  // guide end

  // guide: capability
  @Registered(value = "review.compliance", version = 3, summary = "Checks files against rules.")
  public static class ComplianceCapability extends AgentCapability {

    public record Rules(
        @Param("the rule set to check against") String ruleset,
        @Range(min = 1, max = 100) int maxFindings) {}

    public record Finding(String file, String rule) {}

    private final Rules rules;

    public ComplianceCapability(CapabilityContext context, Rules rules) {
      super(context);
      this.rules = rules;
    }

    @ActionExecutor(summary = "Checks one file against the rule set.")
    public List<Finding> check(
        @Param("path of the file") String file, @Param("what to look at") Optional<String> focus) {
      return List.of(new Finding(file, rules.ruleset() + focus.map(at -> "/" + at).orElse("")));
    }

    @ActionExecutor(effect = Effect.EXTERNAL, retryable = false)
    public String openTicket(Finding finding, IdempotencyKey key) {
      return "ticket for " + finding.rule() + ", once: " + key.value();
    }

    // guide end

    // guide: upcaster
    /** Version 1 had no limit; version 2 called the rule set {@code rules}. */
    static JsonNode upcast(int version, JsonNode args) {
      ObjectNode next = (ObjectNode) args;
      switch (version) {
        case 1 -> next.put("maxFindings", 20);
        case 2 -> next.set("ruleset", next.remove("rules"));
        default -> throw new IllegalArgumentException("no such version");
      }
      return next;
    }
    // guide end
  }

  // guide: policy
  /** Checks the file that the run is about, and completes with what was found. */
  @Registered("review.policy")
  public static class ReviewPolicy extends BaseActionPolicy {

    public ReviewPolicy(PolicyContext context) {
      super(context);
    }

    @Override
    protected Decision planStep(ActionPolicyExecutionState state) {
      ObjectNode params = JsonNodeFactory.instance.objectNode();
      params.set("file", state.request().input().path("file"));
      return state
          .result("check")
          .map(found -> (Decision) Decision.Complete.with(found.output()))
          .orElseGet(() -> new Decision.Act(Action.of("check", "review.compliance.check", params)));
    }
  }
  // guide end
}
