package dev.colony.library.research;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.PolicyContext;
import dev.colony.agent.author.Registered;
import dev.colony.vcm.PageId;
import java.util.List;

/**
 * Has pages of its group in the cache of a replica before an analyst reads them: an iteration a
 * page, one call of one token behind the analysts' preamble. A page that no model answers for is
 * counted and passed over.
 */
@Registered(LoaderPolicy.TYPE)
final class LoaderPolicy extends BaseActionPolicy {

  static final String TYPE = "research.loader";

  private static final String FAILED = "failed";
  private static final String WHY = "why";

  /** What is loaded. */
  record Pages(List<String> pages) {}

  /**
   * What came of it.
   *
   * @param failed how many pages no model answered for
   * @param why the last of them was not; empty where all were
   */
  record Loaded(int pages, int failed, String why) {}

  LoaderPolicy(PolicyContext context) {
    super(context);
  }

  @Override
  protected Decision planStep(ActionPolicyExecutionState state) {
    List<String> pages = Json.read(state.request().input(), Pages.class).pages();
    int number = state.iterationNum();
    ObjectNode kept = state.custom();
    if (number == pages.size()) {
      return Decision.Complete.with(
          Json.of(
              new Loaded(
                  pages.size(), kept.path(FAILED).asInt(), kept.path(WHY).asText(""))));
    }
    try {
      agent().inference().infer("load", AnalystPrompt.loading(new PageId(pages.get(number))));
    } catch (AgentException unanswered) {
      kept.set(FAILED, JsonNodeFactory.instance.numberNode(kept.path(FAILED).asInt() + 1));
      kept.put(WHY, unanswered.getMessage());
    }
    return new Decision.Skip();
  }
}
