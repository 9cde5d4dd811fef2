package dev.colony.agent.research;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.Action;
import dev.colony.agent.ActionOutcome;
import dev.colony.agent.ActionPolicy;
import dev.colony.agent.Decision;
import dev.colony.agent.ModelFailure;
import dev.colony.agent.RunView;
import dev.colony.vcm.PageId;
import java.util.ArrayList;
import java.util.List;

/** Reads its pages one after another: a step a page, one model call and one check of its quotes. */
final class AnalystPolicy implements ActionPolicy {

  static final String TYPE = "research.analyst";

  @Override
  public Decision planStep(RunView view) {
    Assignment assignment = Json.read(view.request().input(), Assignment.class);
    if (view.step() == assignment.pages().size()) {
      return conclude(view, assignment);
    }
    String page = assignment.pages().get(view.step());
    if (view.reply().isEmpty()) {
      return new Decision.Infer(AnalystPrompt.about(new PageId(page), assignment.question()));
    }
    ObjectNode params = parameters(page);
    params.put("modelCall", view.reply().get().callId());
    params.set("quotes", quotes(view.reply().get().text()));
    return check(view, params);
  }

  /** A page that no model answers for does not end the run: the others may hold the answer. */
  @Override
  public Decision onModelFailure(RunView view, ModelFailure failure) {
    Assignment assignment = Json.read(view.request().input(), Assignment.class);
    ObjectNode params = parameters(assignment.pages().get(view.step()));
    params.put("unread", failure.message());
    return check(view, params);
  }

  private static Decision check(RunView view, ObjectNode params) {
    return new Decision.Act(
        Action.internal("page-" + view.step(), AnalystCapability.CHECK_QUOTES, params));
  }

  private static Decision conclude(RunView view, Assignment assignment) {
    List<Evidence> evidence = new ArrayList<>();
    List<String> unread = new ArrayList<>();
    String lastError = "";
    for (int i = 0; i < view.outcomes().size(); i++) {
      ActionOutcome outcome = view.outcomes().get(i);
      if (outcome.succeeded()) {
        outcome.result().forEach(one -> evidence.add(Json.read(one, Evidence.class)));
      } else {
        unread.add(assignment.pages().get(i));
        lastError = outcome.error();
      }
    }
    if (!unread.isEmpty() && unread.size() == assignment.pages().size()) {
      return new Decision.Fail(lastError);
    }
    evidence.sort(Evidence.STRONGEST_FIRST);
    return new Decision.Complete(Json.of(new Findings(evidence, unread)));
  }

  private static ObjectNode parameters(String page) {
    return JsonNodeFactory.instance.objectNode().put("page", page);
  }

  private static JsonNode quotes(String reply) {
    return Json.parse(reply).path("evidence");
  }
}
