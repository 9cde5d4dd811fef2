package dev.colony.library.research;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionCall;
import dev.colony.agent.action.Ref;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.PolicyContext;
import dev.colony.agent.author.Registered;
import dev.colony.inference.InferenceReply;
import dev.colony.vcm.PageId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads its pages one after another: an iteration a page, one model call and one check of its
 * quotes.
 */
@Registered(AnalystPolicy.TYPE)
final class AnalystPolicy extends BaseActionPolicy {

  static final String TYPE = "research.analyst";

  private static final String UNREAD = "unread";
  private static final String ACTION_PREFIX = "page-";

  AnalystPolicy(PolicyContext context) {
    super(context);
  }

  @Override
  protected Decision planStep(ActionPolicyExecutionState state) {
    Assignment assignment = Json.read(state.request().input(), Assignment.class);
    int number = state.iterationNum();
    if (number == assignment.pages().size()) {
      return conclude(state, assignment);
    }
    String page = assignment.pages().get(number);
    InferenceReply reply;
    try {
      reply =
          agent()
              .inference()
              .infer("read", AnalystPrompt.about(new PageId(page), assignment.question()));
    } catch (AgentException unanswered) {
      // A page that no model answers for does not end the run: the others may hold the answer.
      state.custom().withObject("/" + UNREAD).put(page, unanswered.getMessage());
      return new Decision.Skip();
    }
    ObjectNode params = JsonNodeFactory.instance.objectNode();
    params.put("page", page);
    params.put("modelCall", reply.callId());
    params.set("quotes", Ref.verbatim(Json.parse(reply.text()).path("evidence")));
    return new Decision.Act(
        Action.of(ACTION_PREFIX + number, AnalystCapability.CHECK_QUOTES, params));
  }

  private Decision conclude(ActionPolicyExecutionState state, Assignment assignment) {
    List<Evidence> evidence = new ArrayList<>();
    Map<String, String> unread = new TreeMap<>();
    for (ActionCall call : state.history()) {
      if (call.result().success()) {
        dispatcher()
            .resolve(JsonNodeFactory.instance.textNode("$results." + call.action().actionId()))
            .forEach(one -> evidence.add(Json.read(one, Evidence.class)));
      } else {
        String number = call.action().actionId().substring(ACTION_PREFIX.length());
        unread.put(assignment.pages().get(Integer.parseInt(number)), call.result().error());
      }
    }
    for (Map.Entry<String, JsonNode> page : state.custom().path(UNREAD).properties()) {
      unread.put(page.getKey(), page.getValue().asText());
    }
    List<String> pages = assignment.pages().stream().filter(unread::containsKey).toList();
    if (!pages.isEmpty() && pages.size() == assignment.pages().size()) {
      return Decision.Fail.because(unread.get(pages.getLast()));
    }
    evidence.sort(Evidence.STRONGEST_FIRST);
    return Decision.Complete.with(
        Json.of(
            new Findings(
                evidence, pages, UnreadReasons.of(pages.stream().map(unread::get).toList()))));
  }
}
