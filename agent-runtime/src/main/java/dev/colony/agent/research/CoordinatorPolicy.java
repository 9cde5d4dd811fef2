package dev.colony.agent.research;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.Action;
import dev.colony.agent.ActionOutcome;
import dev.colony.agent.ActionPolicy;
import dev.colony.agent.Decision;
import dev.colony.agent.RunView;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Routes the question, consults the analysts, composes the answer: a step each. */
final class CoordinatorPolicy implements ActionPolicy {

  static final String TYPE = "research.coordinator";

  private static final String ROUTE = "route";
  private static final String CONSULT = "consult";

  @Override
  public Decision planStep(RunView view) {
    Question question = Json.read(view.request().input(), Question.class);
    for (ActionOutcome outcome : view.outcomes()) {
      if (!outcome.succeeded()) {
        return new Decision.Fail(outcome.error());
      }
    }
    return switch (view.step()) {
      case 0 -> act(ROUTE, CoordinatorCapability.ROUTE, view.request().input());
      case 1 -> {
        var params = JsonNodeFactory.instance.objectNode().put("question", question.text());
        params.set("routes", view.outcome(ROUTE).orElseThrow().result());
        yield act(CONSULT, CoordinatorCapability.CONSULT, params);
      }
      default -> compose(view, question);
    };
  }

  private static Decision compose(RunView view, Question question) {
    Consultation consultation =
        Json.read(view.outcome(CONSULT).orElseThrow().result(), Consultation.class);
    List<Evidence> evidence = consultation.evidence();
    if (evidence.isEmpty()) {
      return complete("Nothing in the pages speaks to the question.", List.of(), consultation);
    }
    if (view.reply().isEmpty()) {
      return new Decision.Infer(AnswerPrompt.from(question.text(), evidence));
    }
    JsonNode reply = Json.parse(view.reply().get().text());
    return complete(
        reply.path("answer").asText(), cited(reply.path("citations"), evidence), consultation);
  }

  private static Decision complete(
      String answer, List<Evidence> citations, Consultation consultation) {
    return new Decision.Complete(
        Json.of(
            new Answer(
                answer,
                citations,
                consultation.analysts(),
                consultation.unread(),
                consultation.stats())));
  }

  /** The evidence that the reply names; numbers that name none are dropped. */
  private static List<Evidence> cited(JsonNode citations, List<Evidence> evidence) {
    Set<Integer> numbers = new LinkedHashSet<>();
    citations.forEach(citation -> numbers.add(citation.path("evidence").asInt()));
    List<Evidence> cited = new ArrayList<>();
    numbers.stream()
        .filter(number -> number >= 1 && number <= evidence.size())
        .forEach(number -> cited.add(evidence.get(number - 1)));
    return cited;
  }

  private static Decision act(String id, String key, JsonNode params) {
    return new Decision.Act(Action.internal(id, key, params));
  }
}
