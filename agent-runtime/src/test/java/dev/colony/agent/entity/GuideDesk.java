package dev.colony.agent.entity;

import dev.colony.agent.AgentId;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.action.Effect;
import dev.colony.agent.blueprint.Registered;
import dev.colony.agent.capability.ActionContext;
import dev.colony.agent.capability.ActionExecutor;
import dev.colony.agent.capability.AgentCapability;
import dev.colony.agent.capability.CapabilityContext;
import dev.colony.agent.capability.IdempotencyKey;
import java.util.List;

/** The actions that docs/suspension.md shows. */
@Registered(GuideDesk.TYPE)
final class GuideDesk extends AgentCapability {

  static final String TYPE = "guide.desk";

  GuideDesk(CapabilityContext context) {
    super(context);
  }

  // guide: blocked
  @ActionExecutor(summary = "Waits until the reviewers are done.")
  ActionResult awaitReviews(List<String> reviewers, ActionContext context) {
    List<AgentId> names = reviewers.stream().map(one -> new AgentId("acme", "lives", one)).toList();
    return ActionResult.blocked(context.actionId(), "the reviewers are at work", names);
  }

  // guide end

  // guide: approval
  @ActionExecutor(
      summary = "Pays an invoice.",
      effect = Effect.EXTERNAL,
      retryable = false,
      approval = true)
  String pay(String invoice, IdempotencyKey key) {
    return "paid " + invoice;
  }
  // guide end
}
