package dev.colony.library.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.Blueprint;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.library.policy.PlanningContext;
import dev.colony.library.policy.PromptLayer.Expression;
import dev.colony.library.policy.PromptLayers;
import dev.colony.library.policy.PromptSection.Part;
import java.util.List;

/**
 * The layers of prompts that ask for plans, and the types that go with the policy. What they show
 * stands in the context's own entries, where {@link PlanQuestion} puts it.
 */
public final class PlanLayers implements TypeProvider {

  static final String RULES = "planRules";
  static final String TREE = "planTree";
  static final String QUESTION = "planQuestion";

  /** The stock layers, with the rules, the tree and the question of plans in place of actions'. */
  public static final PromptLayers STOCK =
      PromptLayers.STOCK
          .replace("rules", Blueprint.of("prompt.plan-rules"))
          .before("left", "plan", Blueprint.of("prompt.plan"))
          .replace("ask", Blueprint.of("prompt.plan-ask"));

  @Override
  public void register(Types types) {
    types.add(CacheAwareActionPolicy.class);
    types.add(WorkingSetCapability.class);
    types.add(RulesLayer.class);
    types.add(TreeLayer.class);
    types.add(AskLayer.class);
  }

  /** The context with what the layers show. */
  static PlanningContext shown(
      PlanningContext context, String rules, List<String> tree, String question) {
    ObjectNode own = context.own().deepCopy();
    own.put(RULES, rules);
    own.put(TREE, String.join("\n", tree));
    own.put(QUESTION, question);
    return context.with(next -> next.own = own);
  }

  private static String text(PlanningContext context, String entry) {
    JsonNode text = context.own().path(entry);
    return text.asText("");
  }

  @Registered(value = "prompt.plan-rules", summary = "How plans are made and refer to values.")
  static final class RulesLayer extends Expression {
    RulesLayer() {
      super(Part.CONSTANT, (context, room) -> room.whole(text(context, RULES)));
    }
  }

  @Registered(value = "prompt.plan", summary = "The plan so far, with what became of it.")
  static final class TreeLayer extends Expression {
    TreeLayer() {
      super(Part.CHANGING, (context, room) -> room.newest("## Your plan", text(context, TREE)));
    }
  }

  @Registered(value = "prompt.plan-ask", summary = "Why the planner is asked.")
  static final class AskLayer extends Expression {
    AskLayer() {
      super(
          Part.CHANGING,
          (context, room) -> room.whole("## Your answer\n" + text(context, QUESTION)));
    }
  }
}
